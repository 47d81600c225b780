import COdographTCPInfo
import Glibc

/// Counts the traffic of a client's connections, and decides when the owner hears of it. Used only on the client's
/// thread. It does nothing until it is turned on.
struct ClientTraffic: ~Copyable {
    /// The longest time for which counted bytes stay unreported while there is traffic, milliseconds.
    static let reportMilliseconds: Int64 = 600_000

    /// The bytes after which the owner hears of them; nil while nothing is counted.
    private(set) var reportBytes: Int64?
    /// A second descriptor of the connection's socket; nil if there is none. The library closes its own one, and the
    /// counters of the end would be lost with it.
    private var descriptor: Int32?
    private var meter = TrafficMeter()
    private var unreportedBytes: Int64 = 0
    private var reportedAtMilliseconds = monotonicMilliseconds()

    deinit { if let descriptor { close(descriptor) } }

    /// Turns the count on or off. A connection that exists is counted from now on.
    mutating func configure(reportBytes: Int64?, socket: Int32?) {
        self.reportBytes = reportBytes
        if reportBytes == nil {
            closeDescriptor()
        } else if let socket {
            begin(socket, isNew: false)
        }
    }

    /// Begins to count a connection, if the count is on.
    /// - Parameter isNew: Whether the connection begins too.
    mutating func begin(_ socket: Int32, isNew: Bool = true) {
        guard reportBytes != nil, descriptor == nil else { return }
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return }
        descriptor = copy
        meter = TrafficMeter(since: isNew ? nil : TCPCounters(socket: copy))
    }

    /// Counts. Returns the bytes that the owner must hear of; nil if it need not yet.
    /// - Parameter isAtOnce: Whether the owner hears of them however few they are.
    mutating func update(isAtOnce: Bool = false) -> Int64? {
        guard let descriptor, let counters = TCPCounters(socket: descriptor) else { return nil }
        unreportedBytes += meter.take(counters)
        let isDue = isAtOnce || unreportedBytes >= reportBytes ?? .max
        return isDue || monotonicMilliseconds() - reportedAtMilliseconds >= Self.reportMilliseconds ? report() : nil
    }

    /// Ends the count of a connection whose other descriptor is closed. Returns the bytes that the owner must hear of;
    /// nil if there are none.
    mutating func finish() -> Int64? {
        guard let descriptor else { return nil }
        if let counters = TCPCounters(socket: descriptor) { unreportedBytes += meter.takeLast(counters) }
        closeDescriptor()
        return report()
    }

    private mutating func report() -> Int64? {
        reportedAtMilliseconds = monotonicMilliseconds()
        guard unreportedBytes > 0 else { return nil }
        defer { unreportedBytes = 0 }
        return unreportedBytes
    }

    private mutating func closeDescriptor() {
        if let descriptor { close(descriptor) }
        descriptor = nil
    }
}

extension TCPCounters {
    /// Reads the counters of a socket. Nil if the kernel does not count: before Linux 4.19.
    init?(socket: Int32) {
        var counters = odograph_tcp_counters()
        guard odograph_tcp_read_counters(socket, &counters) == 0 else { return nil }
        let states: [Int32: State] = [
            Int32(TCP_SYN_SENT): .connecting, Int32(TCP_ESTABLISHED): .established,
            Int32(TCP_CLOSE_WAIT): .closedByPeer,
        ]
        self.init(
            bytesSent: Int64(clamping: counters.bytes_sent),
            bytesAcknowledged: Int64(clamping: counters.bytes_acknowledged),
            bytesReceived: Int64(clamping: counters.bytes_received),
            segmentsSent: Int64(counters.segments_sent), segmentsReceived: Int64(counters.segments_received),
            state: states[Int32(counters.state)] ?? .over, hasTimestamps: counters.has_timestamps != 0,
            isIPv6: counters.is_ipv6 != 0)
    }
}
