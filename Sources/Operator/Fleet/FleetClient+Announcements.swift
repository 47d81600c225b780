import Odograph
import OdographLink
import OdographTerminal
import OdographWire

/// The discovery documents of vehicles for Home Assistant.
extension FleetClient {
    /// The time in which the broker gives a published document to this client, seconds.
    private static let arrivalSeconds = 10.0

    /// Publishes the discovery documents of vehicles, those that the broker does not retain already.
    /// - Parameters:
    ///   - names: The vehicles.
    ///   - group: The group, if there are no names; nil: all known vehicles of the fleet.
    ///   - prefix: The first part of the topics.
    /// - Returns: the outcome of each vehicle, in the order of the names.
    /// - Throws: `ExitError` if a name or the group is not known, and then nothing is published; or if the broker
    ///   does not accept and return a document.
    public func announce(
        _ names: [String], group: String?, prefix: String
    ) async throws -> [AnnouncementOutcome] {
        let start = try watchAnnouncements(prefix: prefix)
        let devices = try await knownDevices(names, group: group)
        // Status and report have the version of the agent.
        _ = await wait(seconds: BrokerAnswers.absenceSeconds) { _ in false }
        let retained = announcements
        var (published, outcomes): ([String: [UInt8]], [AnnouncementOutcome]) = ([:], [])
        for device in devices {
            let document = HomeAssistantDocument(
                address: try DeviceAddress(root: root, fleet: fleet, device: device),
                agentVersion: vehicles[device]?.agentVersion)
            let (topic, payload) = ("\(start)\(device)/config", try document.payload())
            let change: AnnouncementOutcome.Change =
                switch retained[topic] {
                case nil: .announced
                case payload: .unchanged
                default: .updated
                }
            outcomes.append(AnnouncementOutcome(device: device, topic: topic, change: change))
            guard change != .unchanged else { continue }
            try await publish(
                OutgoingMessage(topic: topic, payload: payload, isRetained: HomeAssistantDocument.isRetained))
            published[topic] = payload
        }
        let expected = published
        try await requireArrival { desk in expected.allSatisfy { desk.announcements[$0.key] == $0.value } }
        return outcomes
    }

    /// Removes the discovery documents of vehicles, also of vehicles that are no longer known.
    /// - Parameters: As of ``announce(_:group:prefix:)``; without names and group, all documents of the fleet.
    /// - Returns: the outcome of each vehicle that had a document, in the order of the names.
    /// - Throws: `ExitError` if the broker retains no such document, or does not remove it.
    public func withdrawAnnouncements(
        _ names: [String], group: String?, prefix: String
    ) async throws -> [AnnouncementOutcome] {
        let start = try watchAnnouncements(prefix: prefix)
        let members = group == nil ? nil : Set(try await knownDevices([], group: group))
        _ = await wait(seconds: BrokerAnswers.absenceSeconds) { _ in false }
        let end = "/config"
        let found = announcements.keys.filter { $0.hasPrefix(start) && $0.hasSuffix(end) }
            .map { String($0.dropFirst(start.count).dropLast(end.count)) }
        if let missing = names.first(where: { !found.contains($0) }) {
            throw ExitError(
                .unavailable,
                "the broker retains no discovery document of \(missing) below \(start)\(suggestion(for: missing))")
        }
        let devices = found.filter { names.isEmpty ? members?.contains($0) ?? true : names.contains($0) }
            .sorted { NaturalSortKey($0) < NaturalSortKey($1) }
        guard !devices.isEmpty else {
            throw ExitError(.unavailable, "the broker retains no such discovery document below \(start)")
        }
        let outcomes = devices.map {
            AnnouncementOutcome(device: $0, topic: "\(start)\($0)\(end)", change: .removed)
        }
        for outcome in outcomes { try await publish(.deletingRetained(outcome.topic)) }
        try await requireArrival { desk in outcomes.allSatisfy { desk.announcements[$0.topic] == nil } }
        return outcomes
    }

    /// Subscribes to the documents of the fleet.
    /// - Returns: the beginning of their topics.
    private func watchAnnouncements(prefix: String) throws(ExitError) -> String {
        try HomeAssistantDocument.check(prefix: prefix)
        let start = HomeAssistantDocument.topics(prefix: prefix, root: root, fleet: fleet)
        announcementTopics = start
        client.subscribe(["\(start)+/config"])
        return start
    }

    /// Returns the chosen vehicles, each of which is known and has a name that a topic can contain.
    private func knownDevices(_ names: [String], group: String?) async throws(ExitError) -> [String] {
        guard names.isEmpty else {
            for name in names { try await requireRecipient(of: .device, device: name) }
            var seen: Set<String> = []
            return names.filter { seen.insert($0).inserted }
        }
        let level = group.map { DownlinkLevel.group($0) } ?? .all
        try await requireRecipient(of: level, device: nil)
        // The retained messages of the other vehicles arrive soon.
        _ = await wait(seconds: 1) { _ in false }
        return targets(of: level, device: nil).vehicles.map(\.name).filter {
            (try? DeviceAddress(root: root, fleet: fleet, device: $0)) != nil
        }
    }

    /// Waits until the broker has returned what was published. A broker with MQTT 3.1.1 acknowledges also what it
    /// refuses.
    private func requireArrival(_ isHere: @Sendable (isolated FleetClient) -> Bool) async throws(ExitError) {
        guard await !wait(seconds: Self.arrivalSeconds, until: isHere) else { return }
        throw ExitError(
            .noPermission,
            "the broker does not return the discovery documents that were published below "
                + "\(announcementTopics ?? ""); the login must be allowed to write and to read these topics (role "
                + "operator of provision, with the prefix \(HomeAssistantDocument.defaultPrefix))")
    }
}
