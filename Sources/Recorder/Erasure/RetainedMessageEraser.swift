import Odograph
import OdographLink
import OdographOperator
import OdographWire

/// Deletes the messages of vehicles that the broker retains.
package struct RetainedMessageEraser: Sendable {
    private let broker: BrokerConfiguration
    private let root: String

    /// - Parameter configuration: The configuration of the recorder, whose login must be allowed to write the topics.
    package init(_ configuration: RecorderConfiguration) {
        var broker = configuration.broker
        // With the recorder's client id, its connection and its session would end.
        broker.clientID = nil
        self.broker = broker
        root = configuration.root
    }

    /// Deletes the retained messages of a vehicle, and checks that the broker has deleted them.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - isWhole: Whether to delete all of them; otherwise only the newest position and the newest timeline event.
    ///   - hasReport: Whether to delete the report, too: the recorder would get it again with its next connection.
    /// - Returns: The topics.
    /// - Throws: `ExitError` if the broker cannot be reached or does not delete a message.
    package func erase(_ vehicle: ArchivedVehicle, isWhole: Bool, hasReport: Bool) async throws -> [String] {
        let address = try DeviceAddress(root: root, fleet: vehicle.fleet, device: vehicle.device)
        let channels = UplinkChannel.allCases.filter(\.isRetained).filter {
            isWhole || [.location, .timeline].contains($0) || hasReport && $0 == .reported
        }
        let client = try FleetClient(broker: broker, root: root, fleet: vehicle.fleet)
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

    private func erase(_ topic: String, _ channel: UplinkChannel, with client: FleetClient) async throws {
        try await client.publish(OutgoingMessage(topic: topic, payload: [], isRetained: channel.isRetained))
        // A broker with MQTT 3.1.1 acknowledges also what it refuses.
        guard try await client.retainedPayload(of: topic) == nil else {
            throw ExitError(
                .noPermission,
                "the broker still retains \(topic); allow the login to write it, and stop the vehicle's agent")
        }
    }
}
