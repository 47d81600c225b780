import OdographCivilTime
import Glibc
import OdographThreads

/// A simulated gpsd that a test controls: five reports a second. It remembers each reported place.
public final class ScriptedReceiver: Sendable {
    /// The listening port, on 127.0.0.1.
    public var port: UInt16 { listener.port }

    /// The date in the reports.
    public enum Date: Sendable {
        /// The right one.
        case right
        /// No date.
        case none
        /// A date that is some seconds ahead in the next reports, then the right date.
        case ahead(seconds: Double, reports: Int)
    }

    private struct State {
        var isStopped = false
        var isSilent = true
        var isParked = false
        var date = Date.right
        var place = LeakSearch.Place(latitude: 0, longitude: 0)
        var reported: [LeakSearch.Place] = []
    }

    private let listener: LoopbackListener
    private let state = Lock(State())

    /// Starts to listen. It sends no reports before ``drive(from:)``.
    public init() throws {
        listener = try LoopbackListener()
        startThread { [self] in serve() }
    }

    /// Continues the drive from another place, to the north-east at 12 m/s, and clears ``reported``.
    public func drive(from place: LeakSearch.Place) {
        state.withLock { state in
            state.isSilent = false
            state.isParked = false
            state.date = .right
            state.place = place
            state.reported = []
        }
    }

    /// Parks the vehicle, or continues the drive.
    public func park(_ isParked: Bool) { state.withLock { $0.isParked = isParked } }

    /// Stops the reports. No report is on its way when this returns.
    public func fallSilent() { state.withLock { $0.isSilent = true } }

    /// Changes the date in the next reports.
    public func date(_ date: Date) { state.withLock { $0.date = date } }

    /// The places of the reports since the drive began.
    public var reported: [LeakSearch.Place] { state.withLock { $0.reported } }

    /// Stops the simulated gpsd. Call this before the last reference is released.
    public func stop() {
        state.withLock { $0.isStopped = true }
        listener.stop()
    }

    private func serve() {
        while !state.withLock({ $0.isStopped }) {
            guard let connection = listener.accept() else { return }
            defer { close(connection) }
            guard
                send(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#, connection)
            else { continue }
            while !state.withLock({ $0.isStopped }) {
                usleep(200_000)
                // Under the lock, so that `fallSilent` returns only after this report was sent.
                let isUp = state.withLock { state in state.isSilent || send(Self.report(&state), connection) }
                guard isUp, isOpen(connection) else { break }
            }
        }
    }

    private func send(_ line: String, _ connection: Int32) -> Bool {
        let bytes = Array((line + "\n").utf8)
        return Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Whether the connection is open. Received bytes are discarded.
    private func isOpen(_ connection: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(connection, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count > 0 || (count < 0 && errno == EAGAIN)
    }

    private static func report(_ state: inout State) -> String {
        if !state.isParked {
            // 2.4 m per report, with noise in the last digits, so that any two places differ.
            let noise = Double(state.reported.count % 7) * 1e-7
            state.place = LeakSearch.Place(
                latitude: rounded(state.place.latitude + 0.000_015_3 + noise),
                longitude: rounded(state.place.longitude + 0.000_022_7 + noise))
        }
        state.reported.append(state.place)
        var time = ""
        switch state.date {
        case .right: time = #""time":"\#(now.iso8601)","#
        case .none: break
        case .ahead(let seconds, let reports):
            time = #""time":"\#(now.advanced(bySeconds: seconds).iso8601)","#
            state.date = reports > 1 ? .ahead(seconds: seconds, reports: reports - 1) : .right
        }
        return #"{"class":"TPV","device":"/dev/ttyS0","mode":3,\#(time)"lat":\#(state.place.latitude),"#
            + #""lon":\#(state.place.longitude),"eph":4.0,"speed":\#(state.isParked ? 0.0 : 12.0),"track":45.0}"#
    }

    /// Rounds to seven decimals, as receivers report them.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }

    private static var now: Timestamp {
        var reading = timespec()
        clock_gettime(CLOCK_REALTIME, &reading)
        return Timestamp(millisecondsSinceEpoch: Int64(reading.tv_sec) * 1000 + Int64(reading.tv_nsec) / 1_000_000)
    }
}
