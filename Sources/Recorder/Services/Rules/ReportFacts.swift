import OdographCivilTime
import OdographWire

/// The part of a report that the rules need.
struct ReportFacts: Hashable, Sendable, Decodable {
    /// The time of the report.
    let timestamp: Timestamp
    /// The groups of the vehicle.
    let groups: [String]
    /// The name of the zone of the vehicle's days; nil if it has stated none.
    let timeZone: String?
    /// The ends of the certificates that the vehicle knows.
    let certificates: CertificateEnds
    /// Whether the traffic budget is exhausted.
    let isBudgetExhausted: Bool
    private let withinSchedule: Bool
    private let nextScheduleChanges: [ScheduleChange]
    private let tracking: TrackingState

    private enum CodingKeys: String, CodingKey {
        case timestamp, groups, certificates, budget, tracking
        case timeZone = "time_zone"
        case withinSchedule = "within_schedule"
        case nextScheduleChanges = "next_schedule_changes"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        timestamp = try values.decode(Timestamp.self, forKey: .timestamp)
        groups = try values.decodeIfPresent([String].self, forKey: .groups) ?? []
        timeZone = try values.decodeIfPresent(String.self, forKey: .timeZone)
        // The other facts count also if this part cannot be read.
        certificates = (try? values.decodeIfPresent(CertificateEnds.self, forKey: .certificates)) ?? CertificateEnds()
        isBudgetExhausted = (try? values.decodeIfPresent(BudgetState.self, forKey: .budget))?.step == .exhausted
        withinSchedule = try values.decode(Bool.self, forKey: .withinSchedule)
        nextScheduleChanges = try values.decode([ScheduleChange].self, forKey: .nextScheduleChanges)
        tracking = try values.decode(TrackingState.self, forKey: .tracking)
    }

    init(_ report: ReportedMessage) {
        timestamp = report.timestamp
        groups = report.groups ?? []
        timeZone = report.timeZone
        certificates = report.certificates ?? CertificateEnds()
        isBudgetExhausted = report.budget?.step == .exhausted
        withinSchedule = report.withinSchedule
        nextScheduleChanges = report.nextScheduleChanges
        tracking = report.tracking
    }

    /// Returns since when the vehicle should make records; nil if it should not. It is a time long ago unless the
    /// schedule has opened since the report.
    ///
    /// A schedule that has closed since the report counts as a time without records: its vehicle cannot say more.
    func expectation(at date: Timestamp) -> Timestamp? {
        guard tracking.isEnabled else { return nil }
        let isOff = tracking.offSchedule.map { $0 != .tag } ?? !withinSchedule
        var since = isOff ? nil : Timestamp(millisecondsSinceEpoch: 0)
        for change in nextScheduleChanges where change.at <= date {
            since = change.withinSchedule ? (since ?? change.at) : nil
        }
        return since
    }
}
