import OdographModel
import OdographVehicleBus

/// An ELM327 adapter as a source of signals. It opens the port again for as long as its events are consumed.
public final class ELM327Source: VehicleSignalSource {
    private let settings: ELM327Settings
    private let clock: any AgentClock

    /// Creates a source. It opens the port when its events are requested.
    public init(_ settings: ELM327Settings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// The source's name, for example `ELM327 at /dev/ttyUSB0`.
    public var name: String { "ELM327 at \(settings.device)" }

    /// Returns an endless stream of events.
    public func events() -> AsyncStream<VehicleSignalEvent> {
        SourceLoop.stream(clock: clock) { [settings, name] loop, emit in Self.run(settings, name, loop, emit) }
    }

    private static func run(
        _ settings: ELM327Settings, _ name: String, _ loop: SourceLoop, _ emit: (VehicleBusEvent) -> Void
    ) {
        var session = ELM327Session(name: name, at: loop.now)
        loop.retry(minimumSeconds: settings.minimumRetrySeconds, maximumSeconds: settings.maximumRetrySeconds) {
            if let reason = talk(settings, &session, loop, emit) {
                session.fail(because: reason, at: loop.now, emit: emit)
            }
        }
    }

    /// Runs one dialogue to its end.
    /// - Returns: The reason why it ended; nil if the source was stopped.
    private static func talk(
        _ settings: ELM327Settings, _ session: inout ELM327Session, _ loop: SourceLoop,
        _ emit: (VehicleBusEvent) -> Void
    ) -> String? {
        do {
            let port = try SerialPort.opened(path: settings.device, bitRate: settings.bitRate)
            session.restart()
            while !loop.isStopped {
                if let command = try session.advance(to: loop.now, emit: emit) { try port.write(command) }
                if loop.wait(for: port.descriptor, untilUptimeMilliseconds: session.deadlineUptimeMilliseconds) {
                    try session.receive(try port.read(), at: loop.now, emit: emit)
                }
            }
            return nil
        } catch let failure as SerialPort.Failure {
            return failure.reason
        } catch let failure as ELM327Session.Failure {
            return failure.reason
        } catch {
            return "\(error)"
        }
    }
}
