import Glibc
import OdographHarness
import OdographPostgreSQL
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Backups by other programs")
struct BackupMarkTests {
    private static func store(_ archive: Archive, _ numbers: [Int64]) throws {
        try archive.store(numbers.map { (van + "location", try Payloads.location($0)) })
    }

    /// Returns the safe number of the only epoch.
    private static func safe(_ database: RecordDatabase) throws -> Int64? {
        try database.coverage(of: try DeviceAddress(fleet: "acme", device: "van-7"))
            .receipt(databaseID: "s", revision: 0, interval: 600, requiresBackup: true).epochs.first?.safe
    }

    /// Returns whether an error is a failed backup with a text.
    private static func isFailure(_ error: any Error, _ text: String) -> Bool {
        if case .backupFailed(_, let detail) = error as? DatabaseFailure { detail.contains(text) } else { false }
    }

    /// Restores a dump into a new database.
    private static func restored(_ dump: String, named name: String, beside archive: Archive) async throws
        -> RecordDatabase
    {
        let place = archive.location.description
        let main = try PostgreSQLConnection(name: "main", settings: [("dbname", place)])
        try main.execute("CREATE DATABASE \(name) TEMPLATE template0")
        let address = place.replacing(#/[^\/]+$/#, with: name)
        let ran = try await ChildProcess.run("pg_restore", ["--exit-on-error", "--dbname=" + address, dump])
        try #require(ran.ending == .exited(0), "\(ran.errors)")
        return try RecordDatabase(try #require(PostgreSQLAddress(address)))
    }

    @Test(
        "What was stored at the begin of a backup is safe at its end, and nothing else",
        arguments: DatabaseKind.allCases)
    func mark(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try Self.store(archive, [1, 2, 4])
        let mark = try BackupMark.begin(of: archive.location)
        try Self.store(archive, [3, 5])
        #expect(try Self.safe(archive.database.records) == 0)
        try BackupMark.complete(mark, of: archive.location)
        #expect(try Self.safe(archive.database.records) == 2)
        #expect(try archive.database.records.backupCount() == 1)
        #expect(try RecorderStatus(of: archive.location).lastBackup?.hasSuffix("Z") == true)
        // A mark is for one backup.
        #expect {
            try BackupMark.complete(mark, of: archive.location)
        } throws: { Self.isFailure($0, "begin a new one") }
        #expect(try Self.safe(archive.database.records) == 2 && archive.database.records.backupCount() == 1)
        for table in ["begun_backups", "begun_backup_numbers"] {
            #expect(try archive.rows("SELECT count(*) FROM \(table)") == [["0"]])
        }
    }

    @Test(
        "A backup that another one has overtaken is refused, and one that was left is forgotten",
        arguments: DatabaseKind.allCases)
    func overtaken(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try Self.store(archive, [1])
        let old = try BackupMark.begin(of: archive.location)
        try Self.store(archive, [2])
        let new = try BackupMark.begin(of: archive.location)
        #expect(old != new)
        try BackupMark.complete(new, of: archive.location)
        #expect {
            try BackupMark.complete(old, of: archive.location)
        } throws: { Self.isFailure($0, "another backup was complete meanwhile") }
        #expect(try Self.safe(archive.database.records) == 2)
        try archive.database.records.connection.execute(
            "UPDATE begun_backups SET begin_time = '2026-01-01T00:00:00.000Z'")
        _ = try BackupMark.begin(of: archive.location)
        #expect(try archive.rows("SELECT count(*) FROM begun_backups") == [["1"]])
        #expect(try archive.rows("SELECT count(DISTINCT mark) FROM begun_backup_numbers") == [["1"]])
    }

    @Test(
        "A dump that begins after the mark has all that becomes safe, and the restored database goes on with the name")
    func dump() async throws {
        let archive = try await Archive.make(.postgreSQL)
        try Self.store(archive, [1, 2])
        let mark = try BackupMark.begin(of: archive.location)
        try Self.store(archive, [3])
        let dump = archive.folder.file("dump")
        let ran = try await ChildProcess.run(
            "pg_dump", ["--format=custom", "--file=" + dump, "--dbname=" + archive.location.description])
        try #require(ran.ending == .exited(0), "\(ran.errors)")
        try Self.store(archive, [4])
        try BackupMark.complete(mark, of: archive.location)
        #expect(try Self.safe(archive.database.records) == 2)
        let restored = try await Self.restored(dump, named: "restored", beside: archive)
        #expect(restored.databaseID == archive.database.records.databaseID)
        let vehicle = try DeviceAddress(fleet: "acme", device: "van-7")
        #expect(try restored.coverage(of: vehicle).epochs.first?.runs == [1...3])
        // It knows only the backups before it, and its recorder stores what the vehicle sends again.
        #expect(try Self.safe(restored) == 0)
        try restored.write(Archive.entries([(van + "location", try Payloads.location(4))]))
        #expect(try restored.coverage(of: vehicle).epochs.first?.runs == [1...4])
    }

    @Test("The command dumps a database of PostgreSQL, and its numbers are safe; a failure changes nothing")
    func command() async throws {
        let archive = try await Archive.make(.postgreSQL)
        try Self.store(archive, [1, 2])
        let output = archive.folder.file("fleet.dump")
        func run(_ arguments: String...) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
            try await ChildProcess.run(
                BuiltProgram.path("odograph-recorder"),
                ["backup", "--database", archive.location.description] + arguments)
        }
        let made = try await run("--output", output)
        #expect(made.ending == .exited(0), "\(made.errors)")
        #expect(try Self.safe(archive.database.records) == 2)
        var status = stat()
        #expect(stat(output, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let restored = try await Self.restored(output, named: "copy", beside: archive)
        #expect(
            try restored.coverage(of: try DeviceAddress(fleet: "acme", device: "van-7")).epochs.first?.runs == [1...2])
        try Self.store(archive, [3])
        let failed = try await run("--output", archive.folder.file("none/fleet.dump"))
        #expect(failed.ending == .exited(73) && failed.errors.contains("none/"), "\(failed.errors)")
        // pg_dump cannot read a table of the schema that another login owns.
        try archive.database.records.connection.execute(
            "CREATE ROLE reader LOGIN; GRANT ALL ON SCHEMA odograph TO reader; "
                + "GRANT ALL ON ALL TABLES IN SCHEMA odograph TO reader; CREATE TABLE secret (a text); "
                + "REVOKE ALL ON secret FROM PUBLIC")
        let refused = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"),
            [
                "backup", "--output", output, "--database",
                archive.location.description.replacing("recorder@", with: "reader@"),
            ])
        #expect(refused.ending == .exited(73) && refused.errors.contains("pg_dump has ended"), "\(refused.errors)")
        #expect(try Self.safe(archive.database.records) == 2)
        #expect(try archive.rows("SELECT count(*) FROM begun_backups") == [["0"]])
        #expect(access(output + ".partial", F_OK) != 0 && access(output, F_OK) == 0)
        // By hand.
        let mark = try await run("--begin").output.split(separator: "\n").first ?? ""
        #expect(try await run("--complete", String(mark)).ending == .exited(0))
        #expect(try Self.safe(archive.database.records) == 3)
        let json = try await run("--begin", "--json").output
        #expect(json.wholeMatch(of: #/\{"mark":"[^"]+"\}\n/#) != nil, "\(json)")
        for arguments in [[], ["--begin", "--output", output]] {
            let wrong = try await ChildProcess.run(
                BuiltProgram.path("odograph-recorder"),
                ["backup", "--database", archive.location.description] + arguments)
            #expect(wrong.ending == .exited(64) && wrong.errors.contains("--begin"), "\(arguments)")
        }
    }
}
