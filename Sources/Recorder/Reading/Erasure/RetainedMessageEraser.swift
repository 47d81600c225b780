import OdographJSON
import OdographLink
import OdographSettings
import OdographTerminal
import OdographWire

/// Deletes the messages of vehicles that the broker retains.
package struct RetainedMessageEraser: Sendable {
    private let broker: BrokerConfiguration
    private let root: String

    /// - Parameter recording: The settings of the recorder, whose login must be allowed to write the topics.
    package init(_ recording: RecordingSettings) {
        broker = recording.broker
        root = recording.root
    }

    /// Deletes the retained messages of a vehicle, and checks that the broker has deleted them.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - isWhole: Whether to delete all of them; otherwise only the newest position and the newest timeline event.
    ///   - hasReport: Whether to delete the report, too: the recorder would get it again with its next connection.
    /// - Returns: The topics.
    /// - Throws: `ExitError` if the broker cannot be reached or does not delete a message; `ConfigurationError` if the
    ///   password cannot be read.
    package func erase(_ vehicle: ArchivedVehicle, isWhole: Bool, hasReport: Bool) async throws -> [String] {
        let address = try DeviceAddress(root: root, fleet: vehicle.fleet, device: vehicle.device)
        let channels = UplinkChannel.allCases.filter(\.isRetained).filter {
            isWhole || [.location, .timeline].contains($0) || hasReport && $0 == .reported
        }
        try BrokerCredentials.checkPaths(of: broker)
        // With the recorder's client id, its connection and its session would end.
        let client = RetainedMessageClient(
            broker.linkConfiguration(
                clientID: RandomIdentifier.make(), password: try BrokerCredentials.password(for: broker)))
        try await client.connect()
        do {
            for channel in channels { try await erase(address.topic(channel), channel, with: client) }
        } catch {
            await client.disconnect()
            throw error
        }
        await client.disconnect()
        return channels.map { address.topic($0) }
    }

    /// Returns the topic of a deleted message as one JSON object and a newline.
    package static func json(topic: String) throws -> String { try JSONCoder.string(of: ["topic": topic]) + "\n" }

    private func erase(_ topic: String, _ channel: UplinkChannel, with client: RetainedMessageClient) async throws {
        try await client.publish(OutgoingMessage(topic: topic, payload: [], isRetained: channel.isRetained))
        // A broker with MQTT 3.1.1 acknowledges also what it refuses.
        guard try await client.retainedMessage(of: topic) == nil else {
            throw ExitError(
                .noPermission,
                "the broker still retains \(topic); allow the login to write it, and stop the vehicle's agent")
        }
    }
}
