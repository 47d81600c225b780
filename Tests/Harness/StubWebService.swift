import Glibc
import OdographThreads

/// A simulated web service on the loopback interface, which answers each request as a test says.
public final class StubWebService: Sendable {
    /// A request.
    public struct Request: Hashable, Sendable {
        /// The first line, `POST /path HTTP/1.1`.
        public var line: String
        /// The header lines, with names in lower case.
        public var headers: [String: String]
        /// The body.
        public var body: String
        /// The number of the connection, from 1.
        public var connection: Int
    }

    /// An answer.
    public struct Answer: Sendable {
        /// The status; nil to close the connection without an answer.
        public var status: Int?
        /// Further header lines.
        public var headers: [String]
        /// The body.
        public var body: String

        /// Creates an answer.
        public init(_ status: Int?, headers: [String] = [], body: String = "") {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }

    private struct State {
        var requests: [Request] = []
        var connections = 0
        var answer: @Sendable (Request) -> Answer
    }

    /// The listening port, on 127.0.0.1.
    public var port: UInt16 { listener.port }
    private let listener: LoopbackListener
    private let state: Lock<State>

    /// - Parameters:
    ///   - port: The port; nil for a free one.
    ///   - answer: Answers a request. It runs on the thread of the connection, and may wait.
    public init(port: UInt16? = nil, _ answer: @escaping @Sendable (Request) -> Answer = { _ in Answer(200) }) throws {
        listener = try LoopbackListener(port: port ?? 0)
        state = Lock(State(answer: answer))
        let weak = Weak(self)
        listener.serve(patienceSeconds: 300) { descriptor in
            defer { close(descriptor) }
            let number = weak.value?.state.withLock { state in
                state.connections += 1
                return state.connections
            }
            if let number { Self.serve(descriptor, number, weak) }
        }
    }

    deinit { listener.stop() }

    /// The requests so far, in the order of their arrival.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Answers further requests in another way.
    public func setAnswer(_ answer: @escaping @Sendable (Request) -> Answer) {
        state.withLock { $0.answer = answer }
    }

    private static func serve(_ descriptor: Int32, _ number: Int, _ weak: Weak) {
        var buffer: [UInt8] = []
        while let request = read(descriptor, &buffer, number) {
            guard let service = weak.value else { return }
            let answer = service.state.withLock { state in
                state.requests.append(request)
                return state.answer
            }(request)
            guard let status = answer.status else { return }
            let lines =
                ["HTTP/1.1 \(status) Answer", "Content-Length: \(answer.body.utf8.count)"] + answer.headers + ["", ""]
            let bytes = Array((lines.joined(separator: "\r\n") + answer.body).utf8)
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }
    }

    /// Returns the next request; nil at the end of the connection.
    private static func read(_ descriptor: Int32, _ buffer: inout [UInt8], _ number: Int) -> Request? {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        func more() -> Bool {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return false }
            buffer += chunk[..<count]
            return true
        }
        let mark = Array("\r\n\r\n".utf8)
        var end: Int?
        while end == nil {
            if buffer.count >= 4 { end = (0...buffer.count - 4).first { Array(buffer[$0..<$0 + 4]) == mark } }
            guard end != nil || more() else { return nil }
        }
        guard let end else { return nil }
        let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        while buffer.count < end + 4 + length { guard more() else { return nil } }
        let body = String(decoding: buffer[(end + 4)..<(end + 4 + length)], as: UTF8.self)
        buffer.removeFirst(end + 4 + length)
        return Request(line: lines.first ?? "", headers: headers, body: body, connection: number)
    }
}

/// A reference that does not keep the service alive.
private struct Weak: Sendable {
    private weak let reference: StubWebService?

    init(_ service: StubWebService) { reference = service }

    var value: StubWebService? { reference }
}
