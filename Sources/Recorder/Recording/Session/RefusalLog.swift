import Logging
import OdographWire

/// Logs which vehicles send too much, each once an hour.
struct RefusalLog {
    private static let pause = Duration.seconds(3600)

    private let logger: Logger
    /// The vehicles that the log names, and until when this needs no other line.
    private var reported: [DeviceAddress: ContinuousClock.Instant] = [:]

    init(_ logger: Logger) { self.logger = logger }

    /// Logs that a message of a vehicle is refused, unless the log has said so.
    mutating func note(_ refusal: IntakeRefusal, of vehicle: DeviceAddress, at now: ContinuousClock.Instant) {
        guard reported[vehicle].map({ $0 < now }) ?? true else { return }
        reported = reported.filter { $0.value >= now }
        reported[vehicle] = now + Self.pause
        logger.warning(
            "messages of \(vehicle.fleet)/\(vehicle.device) are refused: it sends more than limits.\(refusal.key) allows"
        )
    }
}
