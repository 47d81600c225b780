import Odograph
import Link
import Wire

/// Sets of geofences, from the operator's side.
extension FleetClient {
    /// What is known of a topic whose retained message is wanted.
    enum RetainedState {
        case subscribing
        case subscribed(ContinuousClock.Instant)
        case rejected(String)
        case received([UInt8])
    }

    /// A retained message follows its subscription at once; what has not come by then is not there, seconds.
    private static let retainedTimeoutSeconds = 1.5

    /// Publishes a whole set; empty bytes withdraw it.
    /// - Returns: its hash, as the vehicles report it.
    /// - Throws: ``ExitError`` where the broker does not take it.
    public func publishGeofences(_ document: [UInt8], to level: DownlinkLevel, device: String) async throws -> String {
        let topic = try topic(level, device: device, .geofences)
        try await publish(OutgoingMessage(topic: topic, payload: document, isRetained: true))
        return SHA256.hexDigest(of: document)
    }

    /// The whole set that the broker keeps for a level; nil where there is none.
    /// - Throws: ``ExitError`` where the broker does not tell.
    public func retainedGeofences(of level: DownlinkLevel, device: String) async throws -> [UInt8]? {
        let topic = try topic(level, device: device, .geofences)
        retainedStates[topic] = .subscribing
        session.subscribe([topic])
        _ = await wait(seconds: 60) { desk in
            switch desk.retainedStates[topic] {
            case .received, .rejected: true
            case .subscribed(let instant): .now >= instant + .seconds(Self.retainedTimeoutSeconds)
            case .subscribing, nil: false
            }
        }
        switch retainedStates.removeValue(forKey: topic) {
        case .received(let payload): return payload.isEmpty ? nil : payload
        case .subscribed: return nil
        case .rejected(let reason):
            throw ExitError(.noPermission, "the broker does not let you read \(topic): \(reason.printable)")
        case .subscribing, nil: throw ExitError(.unavailable, "the broker does not answer for \(topic)")
        }
    }
}
