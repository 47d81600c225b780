import OdographModel
import OdographVehicleBus

/// A CAN interface as a source of signals. It opens the interface again for as long as its events are consumed.
public final class CANSource: VehicleSignalSource {
    /// The pause after frames, milliseconds. A busy bus has a thousand frames a second; so the thread wakes up ten
    /// times. The kernel's queue holds about 270 frames.
    private static let pauseMilliseconds: Int64 = 100
    /// The most frames that are read before the other work is done.
    private static let maximumFramesPerTurn = 1000

    private let settings: CANSettings
    private let clock: any AgentClock

    /// Creates a source. It opens the interface when its events are requested.
    public init(_ settings: CANSettings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// The source's name, for example `can0`.
    public var name: String { settings.interface }

    /// Returns an endless stream of events.
    public func events() -> AsyncStream<VehicleSignalEvent> {
        SourceLoop.stream(clock: clock) { [settings] loop, emit in Self.run(settings, loop, emit) }
    }

    private static func run(_ settings: CANSettings, _ loop: SourceLoop, _ emit: (VehicleBusEvent) -> Void) {
        var decoder = CANDecoder(settings, at: loop.now)
        loop.retry(minimumSeconds: settings.minimumRetrySeconds, maximumSeconds: settings.maximumRetrySeconds) {
            do throws(CANSocket.Failure) {
                let socket = try CANSocket.opened(
                    interface: settings.interface,
                    filters: settings.protocol == .j1939 ? CANFilter.j1939 : CANFilter.obd)
                try receive(from: socket, &decoder, loop, emit)
            } catch {
                decoder.fail(because: error.reason, at: loop.now, emit: emit)
            }
        }
    }

    private static func receive(
        from socket: borrowing CANSocket, _ decoder: inout CANDecoder, _ loop: SourceLoop,
        _ emit: (VehicleBusEvent) -> Void
    ) throws(CANSocket.Failure) {
        while !loop.isStopped {
            let isReady = loop.wait(
                for: socket.descriptor, untilUptimeMilliseconds: decoder.deadlineUptimeMilliseconds)
            if isReady { try readFrames(from: socket, &decoder, at: loop.now, emit) }
            if let request = decoder.advance(to: loop.now, emit: emit) { try socket.send(request) }
            if isReady { loop.pause(milliseconds: pauseMilliseconds) }
        }
    }

    private static func readFrames(
        from socket: borrowing CANSocket, _ decoder: inout CANDecoder, at moment: ClockReading,
        _ emit: (VehicleBusEvent) -> Void
    ) throws(CANSocket.Failure) {
        for _ in 0..<maximumFramesPerTurn {
            switch try socket.read() {
            case nil: return
            case .frame(let frame): decoder.receive(frame, at: moment, emit: emit)
            case .busOff:
                let reason =
                    "bus-off: the controller has left the bus after errors; check the bit rate, and set restart-ms"
                decoder.fail(because: reason, at: moment, emit: emit)
            case .other: break
            }
        }
    }
}
