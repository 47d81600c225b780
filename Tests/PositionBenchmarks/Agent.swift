import Glibc

/// The agent as its users run it: the executable with a configuration file.
final class RunningAgent {
    /// The executable to measure.
    nonisolated(unsafe) static var executable = ".build/release/odograph"

    let process: ChildProcess
    /// The reading of the monotonic clock right before the start, seconds.
    let startedSeconds: Double
    private let controlPath: String
    private var control: Int32?

    init(configuration: String) throws {
        let path = Files.path("agent.json5")
        try Files.write(configuration, to: path)
        controlPath = Files.path("control.sock")
        unlink(controlPath)
        startedSeconds = monotonicSeconds()
        process = try ChildProcess(
            [Self.executable, "run", "--config", path], output: Files.path("agent.log"))
    }

    deinit { if let control { close(control) } }

    /// - Parameters:
    ///   - source: The configuration object of the source.
    ///   - broker: Further members of the broker's object, each with its comma before it.
    static func configuration(
        port: UInt16, database: String, source: String, tracking: String = "{}", scheme: String = "mqtt",
        broker: String = ""
    ) -> String {
        """
        { fleet: "acme", device: "van-7", broker: { url: "\(scheme)://127.0.0.1:\(port)" \(broker) },
          source: \(source), store: { path: "\(database)" }, control: { path: "\(Files.path("control.sock"))" },
          log: { level: "warning" }, tracking: \(tracking) }
        """
    }

    /// Returns a source without positions: a gpsd that does not exist.
    static func silentSource() throws -> String { "{ gpsd: { port: \(try Broker.freePort()) } }" }

    /// A configuration that records every fix at 1 Hz.
    static let everyFix = "sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 }"

    /// Returns numbers of the agent's status; nil while it does not answer.
    func status(_ names: String...) throws -> [Int]? {
        guard let answer = try ask(#"{"id":"1","action":"get_status"}"#) else { return nil }
        return names.map { name in
            guard let range = answer.firstRange(of: "\"\(name)\":") else { return 0 }
            let value = answer[range.upperBound...].prefix { !",}".contains($0) }
            return value == "true" ? 1 : Int(value) ?? 0
        }
    }

    private func ask(_ command: String) throws -> String? {
        if control == nil { control = Socket.connect(path: controlPath) }
        guard let control else { return nil }
        try Socket.send(Array((command + "\n").utf8), to: control)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while answer.last != UInt8(ascii: "\n") {
            let count = recv(control, &buffer, buffer.count, 0)
            guard count > 0 else { throw Failure("the agent ended: \(process.output)") }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }
}
