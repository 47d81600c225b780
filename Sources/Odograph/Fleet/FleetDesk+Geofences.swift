import Link
import Wire

/// Sets of geofences, from the operator's side.
extension FleetDesk {
    /// What is known of a topic whose retained message is wanted.
    enum Watched {
        case asked
        case granted(ContinuousClock.Instant)
        case refused(String)
        case known([UInt8])
    }

    /// A retained message follows its subscription at once; what has not come by then is not there, seconds.
    private static let retainedSeconds = 1.5

    /// Publishes a whole set; empty bytes withdraw it.
    /// - Returns: its hash, as the vehicles report it.
    /// - Throws: ``Failure`` where the broker does not take it.
    public func publishGeofences(_ document: [UInt8], to level: DownlinkLevel, device: String) async throws -> String {
        let topic = try topic(level, device: device, .geofences)
        try await publish(OutgoingMessage(topic: topic, payload: document, isRetained: true))
        return SHA256.hexadecimal(of: document)
    }

    /// The whole set that the broker keeps for a level; nil where there is none.
    /// - Throws: ``Failure`` where the broker does not tell.
    public func retainedGeofences(of level: DownlinkLevel, device: String) async throws -> [UInt8]? {
        let topic = try topic(level, device: device, .geofences)
        watched[topic] = .asked
        session.subscribe([topic])
        _ = await wait(seconds: 60) { desk in
            switch desk.watched[topic] {
            case .known, .refused: true
            case .granted(let instant): .now >= instant + .seconds(Self.retainedSeconds)
            case .asked, nil: false
            }
        }
        switch watched.removeValue(forKey: topic) {
        case .known(let payload): return payload.isEmpty ? nil : payload
        case .granted: return nil
        case .refused(let reason):
            throw Failure(.noPermission, "the broker does not let you read \(topic): \(reason.printable)")
        case .asked, nil: throw Failure(.unavailable, "the broker does not answer for \(topic)")
        }
    }
}
