import OdographCivilTime
import OdographCrontab
import OdographHarness
import Testing

extension NaiveMinutes {
    /// Expects a schedule to have the same state and the same next change as this one at an instant near a transition
    /// of a zone.
    func expectAgreement(
        with schedule: Schedule, in zone: ZoneRules, using random: inout some RandomNumberGenerator
    ) {
        let anywhere = Timestamp(
            millisecondsSinceEpoch: Int64.random(in: 315_532_800...4_449_513_600, using: &random) * 1000)
        let edge = zone.nextTransition(after: anywhere) ?? anywhere
        let instant = edge.advanced(byMilliseconds: Int64.random(in: -30 * 3_600_000...3_600_000, using: &random))
        #expect(
            schedule.isOpen(at: instant, in: zone) == matches(zone.localTime(at: instant)), "\(schedule.expressions)")
        let limit = 2 * 1440
        let found = schedule.nextChange(after: instant, in: zone)
        if let expected = nextChange(after: instant, in: zone, withinMinutes: limit) {
            #expect(found == expected, "\(schedule.expressions) after \(instant)")
        } else {
            let end = instant.advanced(byMilliseconds: Int64(limit - 1) * 60_000)
            #expect(found.map { $0 >= end } ?? true, "\(schedule.expressions) after \(instant)")
        }
    }
}
