import OdographCivilTime
import OdographTerminal

/// The facts that a PostgreSQL server states about itself and about the recorder's tables.
struct ServerFacts: Hashable {
    private static let subject = RecorderDatabaseCheck.subject
    /// The oldest supported version, as the server numbers it.
    private static let oldestVersion: Int64 = 140_000
    /// The difference of the clocks that is reported, seconds.
    private static let largestClockDifference = 5.0

    /// The address.
    var name = ""
    /// The version, such as 150008.
    var version: Int64 = 0
    /// Whether the server is a copy that cannot write.
    var isStandby = false
    /// Whether the encoding is UTF-8.
    var isUTF8 = true
    /// Whether a commit waits for the disk, `fsync`.
    var waitsForDisk = true
    /// Whether a power cut during the writing of a page loses nothing, `full_page_writes`.
    var writesFullPages = true
    /// Whether there are the tables of a recorder.
    var hasTables = false
    /// Whether this login can create the schema, or owns all its tables.
    var hasRights = true
    /// Whether a recorder has the lock of the writer.
    var isRecording = false
    /// The size of the database, bytes.
    var size: Int64 = 0
    /// The number of records of this month that are not in its partition.
    var misplacedRecords: Int64 = 0
    /// The clock of the server minus that of this machine, seconds.
    var clockDifference = 0.0

    /// Creates facts of a server without problems.
    init() {}

    /// Reads the facts.
    /// - Parameter now: The time of this machine.
    init(_ address: PostgreSQLAddress, now: Timestamp) throws(DatabaseFailure) {
        let connection = try PostgreSQLRecorderConnection(address, isReadOnly: true)
        func integer(_ sql: String) throws(DatabaseFailure) -> Int64 { try connection.firstInteger(sql) ?? 0 }
        name = connection.name
        version = try integer("SELECT current_setting('server_version_num')::bigint")
        isStandby = try integer("SELECT pg_is_in_recovery()") == 1
        isUTF8 = try integer("SELECT current_setting('server_encoding') = 'UTF8'") == 1
        waitsForDisk = try integer("SELECT current_setting('fsync')::boolean") == 1
        writesFullPages = try integer("SELECT current_setting('full_page_writes')::boolean") == 1
        size = try integer("SELECT pg_database_size(current_database())")
        let milliseconds = try integer("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        clockDifference = Double(milliseconds - now.millisecondsSinceEpoch) / 1000
        isRecording =
            try integer(
                """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    AND objid = \(PostgreSQLRecorderConnection.writerLock) AND classid = 0
                """) > 0
        hasTables = try PostgreSQLSchema.hasTables(connection)
        guard hasTables else {
            hasRights = try integer("SELECT has_database_privilege(current_database(), 'CREATE')") == 1
            return
        }
        hasRights =
            try integer(
                """
                SELECT has_schema_privilege('odograph', 'CREATE') AND NOT EXISTS (
                    SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                    WHERE nspname = 'odograph' AND relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE'))
                """) == 1
        guard hasRights else { return }
        misplacedRecords = try integer(
            """
            SELECT count(*) FROM (SELECT 1 FROM records_other
                WHERE time >= date_trunc('month', now()) AND time < now() LIMIT 100000) AS misplaced
            """)
    }

    /// The findings.
    var findings: [Finding] {
        var findings: [Finding] = []
        func add(_ level: Finding.Level, _ text: String, advice: String? = nil) {
            findings.append(Finding(level, Self.subject, "\(name): \(text)", advice: advice))
        }
        let release = "PostgreSQL \(version / 10_000)"
        if version < Self.oldestVersion {
            add(.fail, "\(release) is too old", advice: "use version 14 or newer")
        }
        if isStandby {
            add(.fail, "the server is a standby, which cannot write", advice: "set the address of the primary")
        }
        if !isUTF8 { add(.fail, "the encoding is not UTF8", advice: "create the database with that one") }
        if !hasRights {
            add(
                .fail, hasTables ? "this login does not own the tables" : "this login cannot create the schema",
                advice: hasTables
                    ? "use the login that has created them, or change their owner" : "make it the owner of the database"
            )
        }
        if !waitsForDisk {
            add(
                .fail, "fsync is off: a power cut of the server loses what receipts have confirmed",
                advice: "set fsync = on")
        }
        if !writesFullPages {
            add(.warn, "full_page_writes is off: a power cut can damage pages", advice: "set full_page_writes = on")
        }
        if misplacedRecords > 0 {
            add(
                .warn, "\(misplacedRecords) records of this month are in records_other",
                advice: "end the transactions that read the table for long; the recorder then makes the partition")
        }
        if findings.isEmpty {
            let tables = hasTables ? "schema \(RecorderSchema.version)" : "no tables yet, which the recorder creates"
            add(
                .ok,
                "\(release), \(tables), \(Format.bytes(Int(clamping: size))), "
                    + (isRecording ? "a recorder writes" : "no recorder writes"))
        }
        if abs(clockDifference) > Self.largestClockDifference {
            add(
                .warn,
                "the server's clock is \(abs(clockDifference).formatted(decimals: 0)) s "
                    + "\(clockDifference > 0 ? "ahead of" : "behind") this machine's",
                advice: "synchronise both")
        }
        return findings
    }
}
