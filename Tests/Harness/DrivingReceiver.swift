import OdographCivilTime
import Glibc
import OdographThreads

/// A simulated gpsd whose receiver drives east at 12 m/s, ten reports a second. At first it reports no date.
public final class DrivingReceiver: Sendable {
    /// The listening port, on 127.0.0.1.
    public var port: UInt16 { listener.port }
    /// The speed, m/s.
    public static let speed = 12.0
    /// The metres per degree of longitude at the receiver's latitude of 40°.
    public static let metersPerDegree = 85_394.0

    /// The kind of reports.
    public enum Mood: Sendable {
        /// Positions without a date.
        case dateless
        /// Positions with their date.
        case right
        /// Positions with a constant date that is two hours ahead.
        case stuckDate
        /// Reports without a position.
        case noFix
        /// No reports: each connection is closed.
        case gone
    }

    private struct State {
        var mood = Mood.dateless
        var isStopped = false
    }

    private let listener: LoopbackListener
    private let state = Lock(State())

    /// Starts the simulated gpsd.
    public init() throws {
        listener = try LoopbackListener()
        startThread { [self] in serve() }
    }

    /// Changes the kind of reports.
    public func become(_ mood: Mood) { state.withLock { $0.mood = mood } }

    /// Stops the simulated gpsd. Call this before the last reference is released.
    public func stop() {
        state.withLock { $0.isStopped = true }
        listener.stop()
    }

    private func serve() {
        let begin = Self.now
        while !state.withLock({ $0.isStopped }) {
            guard let connection = listener.accept() else { return }
            defer { close(connection) }
            var text = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"
            while !state.withLock({ $0.isStopped || $0.mood == .gone }) {
                let bytes = Array(text.utf8)
                guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
                usleep(100_000)
                text = report(since: begin)
            }
        }
    }

    private func report(since begin: Timestamp) -> String {
        let now = Self.now
        let longitude = -3 + now.seconds(since: begin) * Self.speed / Self.metersPerDegree
        let mood = state.withLock { $0.mood }
        if mood == .noFix { return #"{"class":"TPV","device":"/dev/ttyS0","mode":1,"time":"\#(now.iso8601)"}"# + "\n" }
        let date = mood == .right ? now : begin.advanced(bySeconds: 7200)
        let time = mood == .dateless ? "" : #""time":"\#(date.iso8601)","#
        return #"{"class":"TPV","device":"/dev/ttyS0","mode":3,\#(time)"lat":40.0,"lon":\#(longitude),"eph":4.0,"#
            + #""speed":\#(Self.speed),"track":90.0}"# + "\n"
    }

    private static var now: Timestamp {
        var reading = timespec()
        clock_gettime(CLOCK_REALTIME, &reading)
        return Timestamp(millisecondsSinceEpoch: Int64(reading.tv_sec) * 1000 + Int64(reading.tv_nsec) / 1_000_000)
    }
}
