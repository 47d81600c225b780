import OdographCivilTime
import OdographWire

extension RuleEngine {
    /// The subject of the episode that counts the running time of an engine. Its mark is the time, milliseconds.
    static let engineSubject = "engine"

    /// Looks whether a service of a vehicle has become due.
    ///
    /// The mark of the rule's episode is what has triggered it: the kilometres or hours that were due. Neither this
    /// episode nor the one that counts the engine's time ends.
    /// - Parameters:
    ///   - event: The newest record of the vehicle.
    ///   - engineMilliseconds: The running time of the engine since the record before.
    mutating func watchService(
        _ event: LocationEvent, _ state: RuleVehicleState, _ rule: Rule, _ interval: ServiceInterval,
        engineMilliseconds: Int64, _ changes: inout RuleChanges
    ) {
        let key = EpisodeKey(rule: rule.name, vehicle: state.vehicle.key)
        let use: ServiceUse
        switch interval {
        case .kilometers(let interval, let from):
            // Two odometers of a vehicle differ.
            guard let odometer = state.hasOwnOdometer ? event.vehicle?.odometer : event.odometer else { return }
            use = ServiceUse(amount: odometer / 1000, from: from, interval: interval)
        case .engineHours(let interval, let used):
            let counter = EpisodeKey(rule: rule.name, vehicle: state.vehicle.key, subject: Self.engineSubject)
            var count = episodes[counter] ?? Episode(begin: event.timestamp)
            if engineMilliseconds > 0 {
                count.mark += engineMilliseconds
                keep(counter, count, &changes)
            }
            use = ServiceUse(amount: Double(used) + Double(count.mark) / 3_600_000, from: 0, interval: interval)
        }
        let known = episodes[key]?.mark ?? 0
        if use.isReset(since: known) {
            remove(key, &changes)
        } else if use.due > known, rule.isInForce(for: state, at: event.timestamp) {
            keep(key, Episode(begin: event.timestamp, mark: use.due), &changes)
            changes.notifications.append(
                event.notification(rule, .event, state.vehicle, at: event.timestamp, text: interval.text(of: use)))
        }
    }
}

/// The use of a vehicle, and what follows for a service.
private struct ServiceUse {
    /// The kilometres of an odometer, or the hours of an engine.
    let amount: Double
    /// The amount at which the newest service was due; 0 before the first one.
    let due: Int64
    private let interval: Int

    init(amount: Double, from: Int, interval: Int) {
        (self.amount, self.interval) = (amount, interval)
        let intervals = ((amount - Double(from)) / Double(interval)).rounded(.down)
        due = intervals >= 1 && intervals < 1e9 ? Int64(from) + Int64(intervals) * Int64(interval) : 0
    }

    /// Returns whether the amount is so far behind what was due that its count begins again: an odometer was
    /// replaced or set.
    func isReset(since known: Int64) -> Bool { known > 0 && amount < Double(known) - Double(interval) }
}

extension ServiceInterval {
    /// Returns the sentence about a vehicle whose service is due.
    fileprivate func text(of use: ServiceUse) -> String {
        let amount = Int64(min(max(use.amount, 0), 1e9))
        return switch self {
        case .kilometers: "needs a service: due at \(use.due) km, its odometer is at \(amount) km"
        case .engineHours: "needs a service: due after \(use.due) h, its engine has run for \(amount) h"
        }
    }
}
