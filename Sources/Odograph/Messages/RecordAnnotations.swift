import OdographJSON
import OdographTracking

/// The values that the agent adds to those of the tracker in a record.
package struct RecordAnnotations: Hashable, Sendable {
    /// The extras, may be empty.
    package var extras: [String: JSONValue]
    /// The drivers.
    package var drivers: DriverLog
    /// Whether the tracker's state came back from an earlier time before this record; of a commit, before its first
    /// one.
    package var isAfterLoss = false

    /// Creates annotations.
    package init(extras: [String: JSONValue] = [:], drivers: DriverLog = DriverLog()) {
        self.extras = extras
        self.drivers = drivers
    }

    /// Returns the annotations of a record by its place in the commit.
    func record(at index: Int) -> RecordAnnotations {
        var own = self
        own.isAfterLoss = isAfterLoss && index == 0
        return own
    }

    /// Returns the driver at the time of a location; nil for none.
    func driver(of location: Disclosed<TrackedLocation>) -> String? {
        if drivers.isEmpty { return nil }
        // The date of the fix is not known, and the newest driver is the best guess.
        if location.isClockUntrusted { return drivers.current }
        return drivers.driver(at: location.fix.timestamp.advanced(byMilliseconds: location.ageMilliseconds))
    }

    /// Returns the driver of an event of the timeline; nil for none, and in private time.
    func driver(of event: Disclosed<TimelineEvent>) -> String? {
        if drivers.isEmpty || event.isOfPrivateTime || event.isWithdrawn { return nil }
        guard case .transport = event.kind else { return drivers.driver(at: event.start) }
        // At the end of a trip the next event begins, which can be private. A trip that lasts has its last moment.
        let end = event.end ?? event.lastUpdate.advanced(byMilliseconds: 1)
        return drivers.driver(ofTripFrom: event.start, to: end)
    }
}
