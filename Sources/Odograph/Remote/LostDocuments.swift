import OdographWire

/// The levels whose saved document is lost: it is unreadable, or it is unknown whether there was one.
package struct LostDocuments: Hashable, Sendable {
    private var unreadable: [DownlinkLevel: String] = [:]
    /// The levels that may have a document that the agent does not know.
    package var uncertain: Set<DownlinkLevel> = []
    /// The levels that the device has joined and whose document has not arrived yet. They are lost only if they are
    /// uncertain too.
    package var awaited: Set<DownlinkLevel> = []

    package func contains(_ level: DownlinkLevel) -> Bool { unreadable[level] != nil || uncertain.contains(level) }

    package mutating func insert(_ level: DownlinkLevel, reason: String) { unreadable[level] = reason }

    /// Removes a level whose document arrived or was withdrawn.
    package mutating func remove(_ level: DownlinkLevel) {
        unreadable[level] = nil
        uncertain.remove(level)
        awaited.remove(level)
    }

    /// Removes the uncertain and the awaited ones of some levels for which the broker retains no document.
    /// - Returns: Whether there were any.
    package mutating func removeMissing(_ levels: Set<DownlinkLevel>) -> Bool {
        let count = uncertain.count + awaited.count
        uncertain.subtract(levels)
        awaited.subtract(levels)
        return uncertain.count + awaited.count < count
    }

    /// Returns the report of a lost document. nil if it is not lost.
    package func report(of level: DownlinkLevel, topic: String) -> ReportedConfigurationError? {
        let event = level == .program ? "the program resets its settings" : "the broker sends it"
        let effect = "until \(event), all time is private"
        if let reason = unreadable[level] {
            return ReportedConfigurationError(
                topic: topic, path: "", value: nil, message: "the saved document cannot be read (\(reason)): \(effect)")
        }
        guard uncertain.contains(level) else { return nil }
        let cause =
            awaited.contains(level)
            ? "the vehicle has joined this level, and its document is not known yet"
            : "the document was lost or has not arrived before a restart, and it is unknown whether there is one"
        let message = "\(cause): \(effect)"
        return ReportedConfigurationError(
            topic: topic, path: "", value: nil, message: message + ", unless the broker retains none")
    }

    /// Returns the sentence of the problem.
    /// - Parameter levels: The names of the lost levels.
    func sentence(of levels: [String]) -> String {
        "the saved configuration of \(levels.joined(separator: ", ")) is lost, or cannot be read, or cannot be used "
            + "with the other levels: until the broker sends a valid one, all time is private (distances and times, no "
            + "positions). If a level should have no document, publish {} on it"
            + (contains(.program) ? "; the embedding program must reset its settings" : "")
    }
}
