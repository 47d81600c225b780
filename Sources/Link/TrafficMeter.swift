/// The counters of the kernel for one TCP connection, both ways.
struct TCPCounters: Hashable, Sendable {
    /// A state of the connection that matters for its end.
    enum State: Hashable, Sendable {
        /// SYN was sent, and nothing was received.
        case connecting
        /// Neither side has closed it.
        case established
        /// Only the other side has closed it.
        case closedByPeer
        /// No further segment belongs to it, or only those that are counted.
        case over
    }

    /// The bytes of payload sent, with those that were sent again.
    var bytesSent: Int64 = 0
    /// The bytes of payload that the other side has acknowledged.
    var bytesAcknowledged: Int64 = 0
    /// The bytes of payload received, each once.
    var bytesReceived: Int64 = 0
    /// The segments sent, also those without payload.
    var segmentsSent: Int64 = 0
    /// The segments received, also those without payload.
    var segmentsReceived: Int64 = 0
    /// The state of the connection.
    var state = State.established
    /// Whether each segment has a time stamp, 12 bytes.
    var hasTimestamps = true
    /// Whether the headers of IP have 40 bytes, not 20.
    var isIPv6 = false

    /// The bytes of payload that have certainly reached the side for which they were.
    var movedBytes: Int64 { bytesReceived + bytesAcknowledged }
}

/// Turns the kernel's counters of one connection into bytes on the network: the payload of TCP, which is MQTT with TLS,
/// and the headers of TCP and IP. The counters have no headers, so these are calculated from the segments.
///
/// Not counted: what is below IP, and the requests to the resolver.
struct TrafficMeter {
    /// The bytes that are counted, or that were sent before the count began.
    private var knownBytes: Int64 = 0

    /// Begins to count.
    /// - Parameter before: The counters at the beginning; nil if the connection begins too.
    init(since before: TCPCounters? = nil) {
        knownBytes = before.map(Self.bytes(of:)) ?? 0
    }

    /// Returns the bytes since the last call.
    mutating func take(_ counters: TCPCounters) -> Int64 {
        let bytes = Self.bytes(of: counters)
        defer { knownBytes = max(bytes, knownBytes) }
        return max(bytes - knownBytes, 0)
    }

    /// Returns the bytes since the last call, and those that the end of the connection will take.
    mutating func takeLast(_ counters: TCPCounters) -> Int64 {
        let segments: Int64 =
            switch counters.state {
            case .connecting, .over: 0
            // FIN, the peer's FIN with the acknowledgement of ours, and the acknowledgement of it.
            case .established: 3
            // FIN and its acknowledgement.
            case .closedByPeer: 2
            }
        return take(counters) + segments * Self.headerBytes(of: counters)
    }

    private static func headerBytes(of counters: TCPCounters) -> Int64 {
        (counters.isIPv6 ? 40 : 20) + 20 + (counters.hasTimestamps ? 12 : 0)
    }

    /// Returns the bytes on the network, both ways.
    static func bytes(of counters: TCPCounters) -> Int64 {
        let segments = counters.segmentsSent + counters.segmentsReceived
        // The first segments have 20 bytes of options: the largest segment, the scale, selective acknowledgements, and
        // the time stamp, if it is used.
        let isUnanswered = counters.state == .connecting
        let options: Int64 = isUnanswered ? 20 : counters.hasTimestamps ? 8 : 12
        let firstSegments = isUnanswered ? segments : min(segments, 2)
        let header = headerBytes(of: counters) - (isUnanswered && counters.hasTimestamps ? 12 : 0)
        return counters.bytesSent + counters.bytesReceived + segments * header + firstSegments * options
    }
}
