import OdographModel
import OdographTracking
import OdographWire

/// The accepted locations of the last stationary interval, for the embedding program. They are in memory only, and
/// private time and suspended tracking erase them.
struct RecentLocations: Sendable {
    /// The minimum spacing of locations, seconds. It bounds the memory at high rates of the receiver.
    private static let spacingSeconds = 0.9

    /// The locations, oldest first.
    private(set) var locations: [Disclosed<TrackedLocation>] = []

    /// Takes the tracker's last fix after an input.
    mutating func update(from tracker: borrowing Tracker, after input: TrackerInput) {
        guard tracker.configuration.isEnabled, tracker.schedule.recordsPositions else { return locations.removeAll() }
        guard case .fix(let fix) = input, tracker.hasAccepted(fix) else { return }
        let time = fix.timestamp
        if let newest = locations.last?.fix.timestamp {
            let seconds = time.seconds(since: newest)
            // The receiver's clock was set back.
            if seconds < 0 { locations.removeAll() } else if seconds < Self.spacingSeconds { return }
        }
        guard let location = tracker.lastLocation else { return }
        locations.append(location)
        // One location before the interval stays, so that the locations span the interval.
        let interval = tracker.configuration.stationary.intervalSeconds
        let surplus = locations.dropFirst().prefix { time.seconds(since: $0.fix.timestamp) >= interval }.count
        locations.removeFirst(surplus)
    }
}
