import Odograph
import OdographCivilTime
import OdographLink
import OdographTerminal
import OdographWire

/// The documents of a level: what is in force, what was, and what would change.
extension FleetClient {
    /// A document that the broker retains.
    package struct Retained: Sendable {
        /// The known facts about it.
        package let document: DesiredDocument
        /// The content.
        package let payload: [UInt8]
    }

    /// Returns the history of a level; nil if this user has no home folder to keep it in.
    /// - Parameter folder: The folder of the desk's state.
    /// - Throws: `ExitError` if a name is invalid.
    package func history(of place: DocumentPlace, in folder: String?) throws(ExitError) -> DocumentHistory? {
        let topic = try topic(of: place)
        return folder.map { DocumentHistory(folder: $0, broker: brokerName, topic: topic) }
    }

    /// Returns the document that the broker retains for a level, and keeps it in the history.
    /// - Returns: nil if there is none.
    /// - Throws: `ExitError` if the broker refuses or does not answer, or the history cannot be written.
    package func retained(
        at place: DocumentPlace, keepingIn history: DocumentHistory? = nil
    ) async throws(ExitError) -> Retained? {
        guard let message = try await retainedMessage(of: try topic(of: place)) else { return nil }
        let document = DesiredDocument(message)
        // What this desk has published is kept as its author has written it.
        if let history, try history.entries().last?.hash != document.hash,
            let entry = DocumentHistory.Entry(message.payload, document, at: .now, isPublished: false)
        {
            try history.add(entry)
        }
        return Retained(document: document, payload: message.payload)
    }

    /// Keeps a published document in the history.
    /// - Parameter text: The document as the operator has written it.
    /// - Throws: `ExitError` if the history cannot be written.
    package func keep(
        _ published: PublishedDocument, _ text: [UInt8], in history: DocumentHistory?
    ) throws(ExitError) {
        if let entry = DocumentHistory.Entry(text, published.document, at: .now, isPublished: true) {
            try history?.add(entry)
        }
    }

    /// Returns what the publication of a document would change.
    /// - Parameters:
    ///   - document: The document as the operator has written it; empty for a removal.
    ///   - place: Its place.
    ///   - retained: The document that the broker retains.
    ///   - kept: The kept documents, oldest first.
    package func plan(
        _ document: [UInt8], for place: DocumentPlace, over retained: Retained?, kept: [DocumentHistory.Entry]
    ) async -> DocumentPlan {
        // The retained reports of the vehicles arrive shortly after the subscription.
        _ = await wait(seconds: 1) { _ in false }
        let (members, name) = targets(of: place.level, device: place.device)
        let states = members.compactMap { device, vehicle in
            vehicle?.report?.level(name, place.kind).flatMap { reported in
                FleetLevelStatus(name, desired: retained?.document, reported: reported)
            }.map { (name: device, state: $0) }
        }
        // If no vehicle uses the retained document, the one that they use is in force.
        let reports = members.compactMap { $0.vehicle?.report?.level(name, place.kind) }
        let used = Set(reports.compactMap { $0.isApplied ? $0.hash : $0.hashInForce })
        let other = kept.last { used.contains($0.hash) }
        let isRetainedUsed = retained.map { used.contains($0.document.hash) } ?? false
        var (old, oldPayload) = (retained?.document, retained?.payload)
        if !isRetainedUsed, let other {
            old = DesiredDocument(other.text, sender: other.sender)
            old?.hash = other.hash
            oldPayload = other.text
        }
        let changes: DocumentPlan.Changes
        let payload: [UInt8]
        switch place.kind {
        case .configuration:
            payload = FleetDocument.strictJSON(of: document)
            changes = .keys(DocumentDifference(document, over: oldPayload))
        case .geofences:
            payload = document
            changes = .geofences(GeofenceDifference(document, over: oldPayload))
        }
        return DocumentPlan(
            level: name, old: old, isOldRetained: old != nil && old?.hash == retained?.document.hash,
            new: DesiredDocument(payload, sender: sender), changes: changes, vehicles: states,
            schedules: place.kind == .configuration ? schedules(after: document, over: oldPayload, in: members) : [],
            isOldUnknown: old == nil && !used.isEmpty)
    }

    /// Returns what the schedules of vehicles say now, with another document of a level, for each different answer.
    private func schedules(
        after document: [UInt8], over old: [UInt8]?, in members: [(name: String, vehicle: Vehicle?)]
    ) -> [PlannedSchedule] {
        PlannedSchedule.list(
            document, over: old,
            in: members.map { ($0.name, $0.vehicle?.report?.configuration, $0.vehicle?.report?.timeZone) }, now: .now)
    }
}

extension ReportedMessage {
    /// Returns what the vehicle says about the document of a level; nil for none.
    fileprivate func level(_ name: String, _ kind: DocumentPlace.Kind) -> ReportedConfigurationLevel? {
        switch kind {
        case .configuration: levels.first { $0.level == name }
        case .geofences:
            geofences.levels.first { $0.level == name }.flatMap { level in
                level.hash.map {
                    var reported = ReportedConfigurationLevel(
                        level: name, version: nil, hash: $0, isApplied: level.isApplied)
                    reported.hashInForce = level.hashInForce
                    return reported
                }
            }
        }
    }
}
