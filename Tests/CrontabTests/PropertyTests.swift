import OdographCivilTime
import OdographCrontab
import OdographHarness
import Testing

@Suite("Comparison with a naive implementation")
struct PropertyTests {
    /// Zones with offsets of half and three quarters of an hour, daylight saving of half an hour and of minus an hour,
    /// a skipped day, a changed standard time, and both hemispheres.
    static let zones = [
        "UTC", "Europe/Madrid", "Europe/Dublin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe",
        "Africa/Casablanca", "Pacific/Apia", "Pacific/Chatham", "Asia/Kathmandu", "Asia/Tehran", "Asia/Pyongyang",
        "Antarctica/Troll", "America/Santiago", "America/Nuuk", "Asia/Gaza", "Pacific/Kiritimati", "America/Caracas",
    ]

    @Test("The next change matches a search minute by minute, near each zone's transitions", arguments: zones)
    func nearTransitions(name: String) throws {
        let zone = try ZoneDirectory.system.rules(named: name)
        var random = SplitMix64(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        var compared = 0
        for _ in 0..<30 {
            let expression = random.expression()
            guard let schedule = try? Schedule(expression) else { continue }
            NaiveSchedule(expression).expectAgreement(with: schedule, in: zone, using: &random)
            compared += 1
        }
        #expect(compared > 20)
    }

    @Test("Random expressions match the naive implementation in every hour of a year")
    func matches() throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<20 {
            let expression = random.expression()
            guard let schedule = try? Schedule(expression) else { continue }
            let naive = NaiveSchedule(expression)
            for hour in 0..<8784 {
                let instant = Timestamp(
                    millisecondsSinceEpoch: (1_704_067_200 + Int64(hour) * 3600 + Int64(hour % 60) * 60) * 1000)
                if schedule.isOpen(at: instant, in: .utc) != naive.matches(ZoneRules.utc.localTime(at: instant)) {
                    Issue.record("\(expression) at \(instant)")
                }
            }
        }
    }

    @Test("Successive changes alternate, ascend and agree with the naive implementation")
    func walk() throws {
        var random = SplitMix64(seed: 9)
        let zone = try ZoneDirectory.system.rules(named: "Europe/Madrid")
        let start = try #require(Timestamp(iso8601: "2026-03-27T11:07:31.250Z"))
        for _ in 0..<150 {
            let expression = random.expression()
            guard let schedule = try? Schedule(expression) else { continue }
            let naive = NaiveSchedule(expression)
            var last = start
            for change in schedule.nextChanges(40, after: start, in: zone) {
                #expect(change.instant > last, "\(expression)")
                #expect(naive.matches(zone.localTime(at: change.instant)) == change.isOpen, "\(expression)")
                let before = change.instant.advanced(byMilliseconds: -1)
                #expect(naive.matches(zone.localTime(at: before)) != change.isOpen, "\(expression)")
                last = change.instant
            }
        }
    }

    @Test("A pair of a day of month and a month is refused exactly if no such date exists")
    func everyDate() {
        for month in 1...12 {
            for day in 1...31 {
                let exists = (0..<1461).contains { offset in
                    let date = CivilDate(daysSinceEpoch: offset)
                    return date.month == month && date.day == day
                }
                #expect(((try? Schedule("0 0 \(day) \(month) *")) != nil) == exists, "\(day).\(month).")
            }
        }
    }
}
