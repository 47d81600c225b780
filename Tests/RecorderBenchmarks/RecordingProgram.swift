import Glibc
import OdographHarness

/// A program of the `record` benchmark that takes the messages of a session, and usually stores them.
struct RecordingProgram {
    /// The kinds of programs.
    enum Kind: String, CaseIterable {
        case recorder = "odograph-recorder"
        case inC = "C"
        case inPython = "Python"
        case receiving = "receiving alone"
    }

    let kind: Kind
    /// The database; nil for a program that drops the messages.
    let database: WatchedDatabase?
    /// The postmaster of the database; nil if it is a file.
    let serverProcess: pid_t?
    /// The client id of the session.
    let client: String
    private let options: Options
    private let port: UInt16
    private let folder: TemporaryFolder

    init(
        _ kind: Kind, _ database: WatchedDatabase?, serverProcess: pid_t? = nil, port: UInt16, options: Options
    ) throws {
        (self.kind, self.database, self.serverProcess) = (kind, database, serverProcess)
        (self.port, self.options) = (port, options)
        client = "\(kind)-\(database?.name ?? "none")"
        folder = try TemporaryFolder()
    }

    /// The name in the tables of the results.
    var name: String { [kind.rawValue, database?.name].compactMap { $0 }.joined(separator: ", ") }

    /// The costs of a run.
    struct Cost {
        var seconds: Double
        var processorSeconds: Double
        /// The processor time of the database server.
        var serverSeconds: Double
    }

    /// Makes the session at the broker, so that it keeps what is published.
    func subscribe() async throws {
        switch kind {
        case .recorder:
            let child = try ChildProcess(options.recorder, ["run", "--config", try configuration()])
            // The notification comes after the first connection.
            let isConnected = try await eventually(within: 60) { child.errors.contains("connected to") ? true : nil }
            guard isConnected != nil else { throw HarnessError("the recorder does not connect: \(child.errors)") }
            // The subscription follows the connection; a probe message would change the measurement.
            usleep(500_000)
            child.send(SIGTERM)
            try await child.wait()
        case .inC, .receiving, .inPython:
            let child = try program(count: 0)
            guard try await child.wait() == .exited(0) else { throw HarnessError("\(name): \(child.errors)") }
        }
    }

    /// Takes and stores the messages that the session has.
    /// - Parameter count: The number of messages.
    func run(_ count: Int) async throws -> Cost {
        let serverBefore = serverProcess.map(ProcessUse.childSeconds) ?? 0
        let start = ContinuousClock.now
        let child =
            kind == .recorder
            ? try ChildProcess(options.recorder, ["run", "--config", try configuration()]) : try program(count: count)
        var processorSeconds = 0.0
        if kind == .recorder, let database {
            let watch = NumberWatch(database)
            while watch.count < count {
                if child.poll() != nil { throw HarnessError("\(name): \(child.errors)") }
                guard start.seconds < 600 else {
                    throw HarnessError("\(name): \(watch.count) of \(count) after 600 s: \(child.errors)")
                }
                usleep(20_000)
            }
        } else {
            guard try await child.wait(seconds: 600) == .exited(0) else {
                throw HarnessError("\(name): \(child.errors)")
            }
        }
        let seconds = start.seconds
        if kind == .recorder {
            processorSeconds = ProcessUse.seconds(of: child.identifier)
            child.send(SIGTERM)
            try await child.wait()
        } else {
            processorSeconds = child.output.split { $0.isWhitespace }.last.flatMap { Double($0) } ?? .nan
        }
        let serverSeconds = (serverProcess.map(ProcessUse.childSeconds) ?? 0) - serverBefore
        return Cost(seconds: seconds, processorSeconds: processorSeconds, serverSeconds: serverSeconds)
    }

    /// Starts one of the programs in other languages, which end after a number of messages and print the processor
    /// time.
    private func program(count: Int) throws -> ChildProcess {
        let (kindOfDatabase, place) =
            switch database {
            case .file(let path): ("sqlite", path)
            case .server(let address): ("postgresql", address)
            case nil: ("none", "-")
            }
        let arguments = [kindOfDatabase, place, "\(port)", client, "\(count)"]
        return kind == .inPython
            ? try ChildProcess("/usr/bin/python3", [options.recordInPython] + arguments)
            : try ChildProcess(options.recordInC, arguments)
    }

    private func configuration() throws -> String {
        try folder.write(
            """
            { fleets: ["acme"], database: { \(database?.configuration ?? "") },
              broker: { url: "mqtt://127.0.0.1:\(port)", client_id: "\(client)" } }
            """, to: "recorder.json5", mode: 0o600)
    }
}
