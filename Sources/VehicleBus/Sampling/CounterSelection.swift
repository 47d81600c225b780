/// Selects one of several senders of the vehicle's distance counter, and rejects values that no drive can explain.
///
/// A counter must not decrease and must not increase faster than a vehicle drives. Another value is accepted after its
/// sender has been consistent for ``confirmationMilliseconds``: instruments can be replaced.
struct CounterSelection {
    /// The silence of the selected sender after which another one is selected, milliseconds. The longest period of the
    /// groups is 1 s.
    static let silenceMilliseconds: Int64 = 5000
    /// The time for which an inexplicable value must be consistent, milliseconds.
    static let confirmationMilliseconds: Int64 = 60_000
    /// The largest speed, m/s: the range of the wheel speed.
    static let maximumSpeed = 70.0

    /// The use of a value.
    enum Outcome: Hashable {
        /// The value is of another sender than the selected one.
        case ignored
        /// No drive can explain the value. Its later changes still show a movement.
        case doubtful
        /// The value can be used.
        case accepted
    }

    private struct Reading {
        var meters: Double
        var uptimeMilliseconds: Int64

        /// Returns whether a vehicle can get from this reading to a later one.
        func canPrecede(_ next: Reading, resolutionMeters: Double) -> Bool {
            let seconds = Double(max(next.uptimeMilliseconds - uptimeMilliseconds, 0)) / 1000
            let change = next.meters - meters
            return change >= 0 && change <= maximumSpeed * seconds + 2 * resolutionMeters
        }
    }

    private var accepted: Reading?
    private var sender: UInt8?
    /// The latest inexplicable reading of a sender, and the time of the first one that is consistent with it.
    private var candidate: (sender: UInt8, latest: Reading, since: Int64)?

    /// Handles a counter, metres.
    mutating func receive(
        meters: Double, resolutionMeters: Double, from sender: UInt8, uptimeMilliseconds uptime: Int64
    ) -> Outcome {
        let reading = Reading(meters: meters, uptimeMilliseconds: uptime)
        guard let accepted else { return accept(reading, from: sender) }
        let isSelectedSilent = uptime - accepted.uptimeMilliseconds > Self.silenceMilliseconds
        guard sender == self.sender || isSelectedSilent else { return .ignored }
        if accepted.canPrecede(reading, resolutionMeters: resolutionMeters) { return accept(reading, from: sender) }
        guard let known = candidate, known.sender == sender,
            known.latest.canPrecede(reading, resolutionMeters: resolutionMeters)
        else {
            candidate = (sender, reading, uptime)
            return .doubtful
        }
        candidate = (sender, reading, known.since)
        return uptime - known.since >= Self.confirmationMilliseconds ? accept(reading, from: sender) : .doubtful
    }

    private mutating func accept(_ reading: Reading, from sender: UInt8) -> Outcome {
        accepted = reading
        self.sender = sender
        candidate = nil
        return .accepted
    }
}
