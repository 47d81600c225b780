import Odograph
import OdographCivilTime
import OdographLink
import OdographTerminal
import OdographWire

/// Names that an operator gives: who has them, and which ones are similar.
extension FleetClient {
    /// The time in which the broker's retained messages arrive, seconds. Their end is not announced.
    private static let searchSeconds = 2.0

    /// Checks that a level has at least one known vehicle, so that a wrong name publishes nothing.
    /// - Parameter device: the vehicle, if the level is one.
    /// - Throws: `ExitError` if it has none, with similar names.
    public func requireRecipient(of level: DownlinkLevel, device: String?) async throws(ExitError) {
        let isKnown: @Sendable (isolated FleetClient) -> Bool = { desk in
            desk.targets(of: level, device: device).vehicles.contains { $0.vehicle != nil }
        }
        if await wait(seconds: Self.searchSeconds, until: isKnown) { return }
        // Some brokers give no retained messages to a wildcard. Without the permission to ask, nothing more is known.
        let hasAsked = (try? await callRollIfNeeded()) ?? false
        if hasAsked, await wait(seconds: Self.rollCallSeconds, until: isKnown) { return }
        guard !vehicles.isEmpty else { throw await unknownFleet() }
        switch level {
        case .device:
            let name = device ?? ""
            throw ExitError(.unavailable, "\(name) is unknown in the fleet \(fleet)\(suggestion(for: name))")
        case .group(let group):
            throw ExitError(
                .unavailable,
                "no known vehicle of the fleet \(fleet) is in the group \(group)\(suggestion(forGroup: group))"
            )
        case .all, .program: return
        }
    }

    /// Returns the error of a fleet without a known vehicle, with a similar name of a fleet.
    public func unknownFleet() async -> ExitError {
        client.subscribe(["\(root)/+/+/status"])
        _ = await wait(seconds: Self.searchSeconds) { _ in false }
        let similar = SpellingSuggestion.closestMatch(to: fleet, among: foundFleets.subtracting([fleet]).sorted())
        let suggestion = similar.map { "; did you mean \($0.printable)?" } ?? ""
        return ExitError(.unavailable, "no vehicle of the fleet \(fleet) is known at this broker\(suggestion)")
    }

    /// Returns `; did you mean van-7?` if another vehicle has a similar name, else an empty string. A vehicle of which
    /// something else is known is meant.
    func suggestion(for device: String) -> String {
        vehicles[device] != nil ? "" : Self.suggestion(for: device, among: vehicles.keys.sorted())
    }

    private func suggestion(forGroup group: String) -> String {
        let groups = vehicles.values.reduce(into: Set<String>()) { $0.formUnion($1.groups) }.sorted()
        let similar = Self.suggestion(for: group, among: groups)
        guard similar.isEmpty, !groups.isEmpty else { return similar }
        let shown = groups.prefix(10).joined(separator: ", ") + (groups.count > 10 ? ", …" : "")
        return "; the known groups are \(shown)".printable
    }

    private static func suggestion(for name: String, among names: [String]) -> String {
        SpellingSuggestion.closestMatch(to: name, among: names).map { "; did you mean \($0.printable)?" } ?? ""
    }

    /// Notes the topic of a message if it is searched.
    func noteSearched(_ message: IncomingMessage) {
        let parts = message.topic.split(separator: "/")
        if parts.count == 4, parts[3] == "status" { foundFleets.insert(String(parts[1])) }
        guard foundTopics != nil, message.isRetained, !message.payload.isEmpty else { return }
        foundTopics?.insert(message.topic)
    }
}
