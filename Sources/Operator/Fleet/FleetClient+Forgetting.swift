import Odograph
import OdographCivilTime
import OdographLink
import OdographTerminal
import OdographWire

/// Removes a retired vehicle from the broker.
extension FleetClient {
    /// Deletes everything that the broker retains of a vehicle and for it, and checks that it is deleted.
    ///
    /// A recorder that stores the vehicle publishes its receipt again. This is no error: no command waits for a
    /// receipt.
    /// - Parameter isForced: whether to do it also for a vehicle that is online.
    /// - Returns: the topics that had a retained message, and the receipts that a recorder has published again, sorted.
    /// - Throws: `ExitError` if the vehicle is unknown or online, or the broker does not delete a message.
    public func forget(
        _ device: String, isForced: Bool = false
    ) async throws(ExitError) -> (deleted: [String], receipts: [String]) {
        _ = await wait(seconds: 2) { $0.vehicles[device]?.status != nil }
        if vehicles[device]?.status?.state == .online, !isForced {
            throw ExitError(
                .temporary,
                "\(device) is online, and its agent would publish its state again; stop the agent first, or use --force"
            )
        }
        let topics = try await retainedTopics(of: device)
        guard !topics.isEmpty else {
            throw ExitError(.unavailable, "the broker retains nothing of \(device)\(suggestion(for: device))")
        }
        // The status is last: after an error, the vehicle is still listed, and the command can be repeated. A discovery
        // document is first, so that Home Assistant does not read the removals of the other messages.
        for topic in topics.sorted(by: { Self.order($0) < Self.order($1) }) {
            try await publish(.deletingRetained(topic))
        }
        // A broker with MQTT 3.1.1 acknowledges also what it refuses.
        let left = try await retainedTopics(of: device)
        if let other = left.first(where: { !$0.hasPrefix("\(root)/\(fleet)/\(device)/receipt/") }) {
            throw ExitError(
                .noPermission,
                "the broker still retains \(other.printable); the login must be allowed to write the topics of the "
                    + "vehicle (role administrator of provision), and the agent must be stopped")
        }
        return (topics.filter { !left.contains($0) }, left)
    }

    private static func order(_ topic: String) -> (Int, String) {
        (topic.hasSuffix("/status") ? 2 : topic.contains("/device/") && topic.hasSuffix("/config") ? 0 : 1, topic)
    }

    /// Returns the topics of a vehicle with a retained message, sorted, with those of its discovery documents. Their
    /// prefix can be any name.
    private func retainedTopics(of device: String) async throws(ExitError) -> [String] {
        let prefix: String
        do throws(TopicNameError) {
            prefix = "\(root)/\(fleet)/\(try DeviceAddress.validated(device, part: "device"))/"
        } catch {
            throw ExitError(.usage, error.description)
        }
        let announcement = HomeAssistantDocument.topics(prefix: "", root: root, fleet: fleet) + device + "/config"
        foundTopics = []
        client.subscribe([prefix + "#", "+" + announcement])
        _ = await wait(seconds: BrokerAnswers.absenceSeconds) { _ in false }
        let topics = foundTopics ?? []
        foundTopics = nil
        return topics.filter { $0.hasPrefix(prefix) || $0.hasSuffix(announcement) }.sorted()
    }
}
