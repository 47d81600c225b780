import Logging
import Odograph
import OdographHarness
import OdographJSON
import OdographLink
import OdographWire

@testable import OdographRecorder

/// A broker, a database, the service that answers requests about it, and a client that reads the answers.
final class HistoryScene {
    let broker: MosquittoBroker
    let archive: Archive
    let log = CapturedLog()
    let listener: AnswerListener
    let configuration: RecorderConfiguration
    private let folder: TemporaryFolder
    private let service: HistoryService
    private let running: Task<Void, Never>

    /// - Parameters:
    ///   - messages: The messages in the database.
    ///   - kind: The kind of the database.
    ///   - keys: Further keys of `history`.
    ///   - isPresent: Whether the file of the database is at its path.
    init(_ messages: [Archive.Message], in kind: DatabaseKind = .sqlite, keys: String = "", isPresent: Bool = true)
        async throws
    {
        broker = try await MosquittoBroker()
        archive = try await Archive.make(kind, messages)
        folder = try TemporaryFolder()
        let place =
            switch archive.location {
            case .file(let path): "path: \"\(isPresent ? path : folder.file("absent.db"))\""
            case .server(let address): "url: \"\(address)\""
            }
        let text = """
            { fleets: ["acme"], database: { \(place) }, history: { answer: true, \(keys) },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", client_id: "recorder-test",
                        reconnect: { minimum: 0.1, maximum: 1 } } }
            """
        configuration = try RecorderConfiguration.load(try folder.write(text, to: "recorder.json5"))
        let (log, database) = (log, configuration.recording.database)
        let service = try HistoryService(
            configuration.recording, configuration.history,
            link: configuration.recording.historyLinkConfiguration(password: nil),
            logger: Logger(label: "test", factory: { _ in log }),
            // Time stands still: a slow machine must not permit more requests.
            uptimeMilliseconds: { 0 }
        ) { () throws(DatabaseFailure) in try HistoryDatabase(database) }
        self.service = service
        running = Task { await service.run() }
        listener = try await AnswerListener(port: broker.port)
        // The broker answers the subscription after the connection; a request shows that it is in force.
        let isUp = try await eventually { () -> Bool? in
            try await ask(#"{"kind":"ping"}"#, id: "probe")
            return try listener.parts(of: "probe").isEmpty ? nil : true
        }
        guard isUp != nil else { throw HarnessError("the service does not answer: \(log.lines)") }
    }

    /// Stops the service after the end of each answer that it has begun.
    func stop() async throws {
        let hasEnded = try await eventually {
            try archive.rows("SELECT * FROM requests WHERE outcome = 'begun'").isEmpty ? true : nil
        }
        guard hasEnded != nil else { throw HarnessError("an answer does not end: \(log.lines)") }
        await service.stop()
        await running.value
    }

    /// Publishes a request.
    func ask(
        _ payload: String, id: String, person: String = "ann", options: [String] = ["-V", "5"]
    ) async throws {
        let (ending, _, errors) = try await ChildProcess.run(
            "mosquitto_pub",
            ["-p", "\(broker.port)", "-q", "1", "-t", "fleet/history:acme/\(person)/request/\(id)", "-s"] + options,
            input: payload)
        guard ending == .exited(0) else { throw HarnessError("mosquitto_pub: \(errors)") }
    }

    /// Publishes a request, and waits for all parts of the answer.
    func answer(
        to payload: String, id: String, person: String = "ann", options: [String] = ["-V", "5"]
    ) async throws -> [AnswerListener.Part] {
        try await ask(payload, id: id, person: person, options: options)
        return try await listener.answer(to: id, person: person)
    }

    /// The entries of the log without those of the probes: outcome, code, kind, device, rows.
    func entries() throws -> [[String]] {
        try archive.rows(
            """
            SELECT person, request, kind, device, outcome, code, row_count FROM requests
            WHERE request <> 'probe' ORDER BY id
            """)
    }
}

/// A client that reads the answers of all persons, and checks each of them against the contract.
final class AnswerListener {
    /// A part of an answer.
    struct Part {
        let topic: String
        let correlation: String
        let bytes: Int
        let members: [String: JSONValue]

        subscript(key: String) -> JSONValue? { members[key] }

        var rows: [[String: JSONValue]] {
            guard case .array(let rows)? = members["rows"] else { return [] }
            return rows.compactMap { if case .object(let row) = $0 { row } else { nil } }
        }
    }

    private let child: ChildProcess

    init(port: UInt16) async throws {
        let child = try ChildProcess(
            "stdbuf",
            [
                "-oL", "mosquitto_sub", "-p", "\(port)", "-V", "5", "-q", "1", "-d", "-t",
                "fleet/history:acme/+/answer/+",
                "-t", "elsewhere/#", "-F", "%t\t%D\t%p",
            ])
        self.child = child
        guard try await eventually({ child.output.contains("SUBACK") ? true : nil }) != nil else {
            throw HarnessError("no subscription: \(child.errors)")
        }
    }

    /// All that the broker has delivered: topic, correlation data and payload in a line.
    var lines: [Substring] { child.output.split(separator: "\n").filter { $0.contains("\t") } }

    /// The parts on a topic of answers so far.
    func parts(of id: String, person: String = "ann") throws -> [Part] {
        let output = child.output
        let complete = output[..<(output.lastIndex(of: "\n") ?? output.startIndex)]
        let topic = "fleet/history:acme/\(person)/answer/\(id)"
        return try complete.split(separator: "\n").filter { $0.hasPrefix(topic + "\t") }.compactMap { line in
            let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            let payload = String(fields[2])
            // The records and events of these tests have short identifiers.
            let uuid = "\":\"46b165f0-9c1e-8a3d-b0c5-0f2f6f0a9d11\""
            let lawful = payload.replacing(#/"(uuid|event_id)":"\w+"/#) { "\"\($0.1)\(uuid)" }
            let faults = try ContractValidator.running().faults(in: [.init(topic: topic, payload: lawful)])
            guard faults.isEmpty else { throw HarnessError("\(faults)") }
            guard case .object(let members) = try JSONCoder.decode(JSONValue.self, from: Array(payload.utf8)) else {
                return nil
            }
            return Part(
                topic: topic, correlation: String(fields[1]), bytes: payload.utf8.count, members: members)
        }
    }

    /// Waits for all parts of an answer.
    func answer(to id: String, person: String = "ann") async throws -> [Part] {
        let topic = "fleet/history:acme/\(person)/answer/\(id)\t"
        let isWhole = try await eventually { () -> Bool? in
            let lines = child.output.split(separator: "\n").filter { $0.hasPrefix(topic) }
            return lines.contains { $0.contains("\"is_last\":true") && $0.hasSuffix("}") } ? true : nil
        }
        guard isWhole != nil else { throw HarnessError("no answer to \(id): \(child.errors)") }
        return try parts(of: id, person: person)
    }
}
