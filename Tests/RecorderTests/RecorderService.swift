import Logging
import Odograph
import OdographHarness
import OdographLink
import OdographPostgreSQL

@testable import OdographRecorder

/// A recorder in this process, and its database.
final class RecorderService {
    let log = CapturedLog()
    private let folder: TemporaryFolder
    private let configuration: RecorderConfiguration
    private let waitingNotifications: Int
    private let silenceSeconds: Double
    private(set) var recorder: FleetRecorder?
    private var running: Task<Void, any Error>?
    private var services: RecorderServices?
    private var serving: Task<Void, Never>?

    /// - Parameters:
    ///   - port: The port of the broker.
    ///   - path: The file of SQLite; nil for one in a folder of the test.
    ///   - server: The address of a database in PostgreSQL, instead of the file.
    ///   - keys: Further keys of the configuration.
    ///   - client: The client id.
    ///   - waitingNotifications: The number of notifications of a rule that wait, in a file.
    ///   - silenceSeconds: The time without a message after which the recorder subscribes again.
    ///   - adjust: Changes the configuration, to values that a file cannot have.
    init(
        broker port: UInt16, path: String? = nil, server: String? = nil, keys: String = "",
        client: String = "recorder-test", waitingNotifications: Int = NotificationTable.usualMaximumRows,
        silenceSeconds: Double = 900, adjust: (inout RecorderConfiguration) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        let database = server.map { "url: \"\($0)\"" } ?? "path: \"\(path ?? folder.file("recorder.db"))\""
        let text = """
            { fleets: ["acme"], database: { \(database) },
              broker: { url: "mqtt://127.0.0.1:\(port)", client_id: "\(client)",
                        reconnect: { minimum: 0.1, maximum: 1 } }, \(keys) }
            """
        var configuration = try RecorderConfiguration.load(try folder.write(text, to: "recorder.json5"))
        adjust(&configuration)
        self.configuration = configuration
        self.waitingNotifications = waitingNotifications
        self.silenceSeconds = silenceSeconds
    }

    var location: DatabaseLocation { configuration.recording.database }

    var file: DatabaseFile { DatabaseFile(configuration.recording.database.description) }

    /// Starts the recorder.
    func begin() async throws {
        var patience = FleetRecorder.Patience()
        (patience.minimumSeconds, patience.maximumSeconds, patience.silenceSeconds) = (0.05, 0.2, silenceSeconds)
        let (configuration, log, waiting) = (configuration, log, waitingNotifications)
        let recorder = try FleetRecorder(
            configuration.recording, link: configuration.recording.linkConfiguration(password: nil), patience: patience,
            logger: Logger(label: "test", factory: { _ in log })
        ) { () throws(DatabaseFailure) in
            // A short wait, because tests lock the file.
            guard case .file(let path) = configuration.recording.database else {
                return try OpenDatabase(configuration)
            }
            return try OpenDatabase(
                try RecordDatabase(path: path, lockSeconds: 0.05), rules: configuration.rules,
                fleets: configuration.recording.fleets, isRelaying: configuration.relay != nil,
                waitingNotifications: waiting)
        }
        self.recorder = recorder
        running = Task { try await recorder.run() }
        let services = try RecorderServices(
            recorder, configuration, times: .short, logger: Logger(label: "test", factory: { _ in log }))
        self.services = services
        serving = Task { await services.run() }
    }

    /// Starts the recorder, and waits until it is connected.
    func start() async throws {
        let count = connections
        try await begin()
        guard try await eventually({ connections > count ? true : nil }) != nil else {
            throw HarnessError("no connection: \(log.lines)")
        }
    }

    private var connections: Int { log.lines.count { $0.contains("connected to the broker") } }

    /// Stops the recorder.
    /// - Throws: The error with which it ended.
    func stop() async throws {
        await recorder?.stop()
        try await ending()
    }

    /// Returns the rows of a query in the database of the server.
    func serverRows(_ sql: String) throws -> [[String]] {
        guard case .server(let address) = configuration.recording.database else {
            throw HarnessError("the database is a file")
        }
        let connection = try PostgreSQLConnection(name: "test", settings: address.settings)
        try connection.execute("SET search_path = odograph")
        let result = try connection.prepare(sql).run([])
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { result.text(row: row, column: $0) ?? "NULL" }
        }
    }

    /// Returns the runs of stored numbers in the database of the server.
    func runs() throws -> [[String]] { try serverRows("SELECT first, last FROM runs ORDER BY first") }

    /// Waits until the recorder has ended by itself.
    /// - Throws: The error with which it ended.
    func ending() async throws {
        let result = await running?.result
        serving?.cancel()
        await serving?.value
        await services?.finish()
        try result?.get()
    }

    /// Waits until this number of records is stored.
    func waitForRecords(_ count: Int) async throws {
        let isStored = try await eventually {
            try file.rows("SELECT count(*) FROM records") == [["\(count)"]] ? true : nil
        }
        guard isStored != nil else {
            throw HarnessError("\(try file.rows("SELECT count(*) FROM records")) of \(count): \(log.lines)")
        }
    }
}

extension RecorderServices.Times {
    /// Short times for tests.
    static var short: RecorderServices.Times {
        var times = RecorderServices.Times()
        (times.rules.silenceSeconds, times.rules.gapSeconds) = (0.05, 0.1)
        (times.notifications.pollSeconds, times.relay.pollSeconds) = (0.05, 0.05)
        (times.notifications.minimumSeconds, times.notifications.maximumSeconds) = (0.05, 0.2)
        (times.relay.minimumSeconds, times.relay.maximumSeconds) = (0.05, 0.2)
        times.notifications.commandSeconds = 5
        return times
    }
}
