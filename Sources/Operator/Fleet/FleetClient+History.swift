import Odograph
import OdographCivilTime
import OdographLink
import OdographWire

/// The configuration documents of a level: what is in force, what was, and what would change.
extension FleetClient {
    /// Returns the history of a level; nil if this user has no home folder to keep it in.
    /// - Parameters:
    ///   - device: The vehicle, if the level is one.
    ///   - folder: The folder of the desk's state.
    /// - Throws: ``ExitError`` if a name is invalid.
    package func history(
        of level: DownlinkLevel, device: String?, in folder: String?
    ) throws(ExitError) -> DocumentHistory? {
        let topic = try topic(level, device: device ?? "any", .config)
        return folder.map { DocumentHistory(folder: $0, broker: brokerName, topic: topic) }
    }

    /// Returns the configuration document that the broker retains for a level, and keeps it in the history.
    /// - Returns: the document and its content; nil if there is none.
    /// - Throws: ``ExitError`` if the broker refuses or does not answer, or the history cannot be written.
    package func retainedConfiguration(
        of level: DownlinkLevel, device: String?, history: DocumentHistory?
    ) async throws(ExitError) -> (document: DesiredDocument, payload: [UInt8])? {
        guard let message = try await retainedMessage(of: try topic(level, device: device ?? "any", .config)) else {
            return nil
        }
        let document = DesiredDocument(message)
        if let entry = DocumentHistory.Entry(message.payload, document, at: .now, isPublished: false) {
            try history?.add(entry)
        }
        return (document, message.payload)
    }

    /// Keeps a published document in the history.
    /// - Throws: ``ExitError`` if the history cannot be written.
    package func keep(
        _ published: PublishedDocument, _ payload: [UInt8], in history: DocumentHistory?
    ) throws(ExitError) {
        if let entry = DocumentHistory.Entry(payload, published.document, at: .now, isPublished: true) {
            try history?.add(entry)
        }
    }

    /// Returns what the publication of a document would change.
    /// - Parameters:
    ///   - document: The document; empty for a removal.
    ///   - retained: The document that the broker retains.
    ///   - kept: The kept documents, oldest first.
    package func plan(
        _ document: [UInt8], for level: DownlinkLevel, device: String?,
        over retained: (document: DesiredDocument, payload: [UInt8])?, kept: [DocumentHistory.Entry]
    ) async -> ConfigurationPlan {
        // The retained reports of the vehicles arrive shortly after the subscription.
        _ = await wait(seconds: 1) { _ in false }
        let (members, name) = targets(of: level, device: device)
        let desired = retained.map { [name: $0.document] } ?? [:]
        let states = members.compactMap { device, vehicle -> (name: String, state: FleetLevelStatus)? in
            let reported = vehicle?.report?.levels.first { $0.level == name }
            guard let state = reported.flatMap({ FleetLevelStatus(name, desired: desired[name], reported: $0) }) else {
                return nil
            }
            return (device, state)
        }
        // If no vehicle uses the retained document, the one that they use is in force.
        let used = Set(
            members.compactMap { $0.vehicle?.report?.levels.first { $0.level == name } }
                .compactMap { $0.isApplied ? $0.hash : $0.hashInForce })
        let other = kept.last { used.contains($0.hash) }
        let isRetainedUsed = retained.map { used.contains($0.document.hash) } ?? false
        let old: (document: DesiredDocument, payload: [UInt8])? =
            if !isRetainedUsed, let other {
                (DesiredDocument(other.payload, sender: other.sender), other.payload)
            } else {
                retained
            }
        return ConfigurationPlan(
            level: name, old: old?.document,
            isOldRetained: old != nil && old?.document.hash == retained?.document.hash,
            new: DesiredDocument(document, sender: sender),
            difference: DocumentDifference(document, over: old?.payload), vehicles: states)
    }
}
