import OdographCivilTime
import OdographTracking

/// Notices that the files of a schedule's zone have changed: an update of the zone data, or another zone of the
/// machine.
///
/// A look costs a few system calls while nothing has changed, so it comes before each position: no position is recorded
/// by rules that are no longer on the disk.
struct ZoneWatch {
    private let zones: ZoneDirectory
    /// The settings of the machine; nil: of this one.
    private let machine: SystemTimeZoneSettings?
    private var known: (stamps: ZoneFileStamps, rules: ZoneRules)?

    init(zones: ZoneDirectory = .system, machine: SystemTimeZoneSettings? = nil) {
        self.zones = zones
        self.machine = machine
    }

    /// Returns the rules on the disk if they differ from those of a schedule. nil also while they cannot be read,
    /// because they are being replaced.
    mutating func newRules(of schedule: TrackingSchedule) -> ZoneRules? {
        let name = schedule.followsMachineZone ? nil : schedule.zone.identifier
        let machine = machine ?? .system
        let stamps = zones.stamps(ofZone: name, machine: machine)
        if stamps != known?.stamps {
            let rules = try? name.map { try zones.rules(named: $0) } ?? zones.systemRules(machine)
            guard let rules else { return nil }
            known = (stamps, rules)
        }
        return known.flatMap { $0.rules == schedule.zone ? nil : $0.rules }
    }
}
