import Glibc
import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Backups of the recorder's database")
struct BackupTests {
    private let archive: Archive
    private let vehicle: DeviceAddress
    private let copy: String

    init() throws {
        archive = try Archive()
        vehicle = try DeviceAddress(fleet: "acme", device: "van-7")
        copy = archive.folder.file("copy.db")
    }

    private func store(_ numbers: [Int64]) throws {
        try archive.store(numbers.map { (van + "location", try Payloads.location($0)) })
    }

    private func backUp() throws { try RecorderBackup.make(of: archive.location, at: copy) }

    /// Returns the safe number of the only epoch.
    private func safe(_ database: RecordDatabase) throws -> Int64? {
        try database.coverage(of: vehicle).receipt(databaseID: "s", revision: 0, interval: 600, requiresBackup: true)
            .epochs.first?.safe
    }

    @Test("Numbers are safe that the newest complete backup has from 1 on")
    func safeNumbers() throws {
        try store([1, 2, 4])
        #expect(try safe(archive.database.records) == 0)
        try backUp()
        #expect(try safe(archive.database.records) == 2)
        // The number 3 is in no backup.
        try store([3, 5])
        #expect(try safe(archive.database.records) == 2)
        try backUp()
        #expect(try safe(archive.database.records) == 5)
        #expect(try archive.database.records.backupCount() == 2)
        let status = try RecorderStatus(of: .file(path: archive.file.path))
        #expect(status.lastBackup?.hasSuffix("Z") == true && status.databaseID == archive.database.records.databaseID)
        #expect(try DatabaseFile(copy).rows("PRAGMA integrity_check") == [["ok"]])
        #expect(try DatabaseFile(copy).rows("SELECT count(*) FROM records") == [["5"]])
        #expect(access(copy + ".partial", F_OK) != 0)
    }

    @Test("A restored backup goes on with the name of the database, and what it has is what was safe")
    func restored() throws {
        try store([1, 2, 3])
        try backUp()
        try store([4])
        let restored = try RecordDatabase(path: copy)
        #expect(restored.databaseID == archive.database.records.databaseID)
        #expect(try restored.coverage(of: vehicle).epochs.first?.runs == [1...3])
        // It knows only the backups before it.
        #expect(try safe(restored) == 0)
    }

    @Test("Only this user can read the copy, whoever can read the database", arguments: [0o600, 0o644] as [mode_t])
    func mode(mode: mode_t) throws {
        try store([1])
        chmod(archive.file.path, mode)
        try backUp()
        var status = stat()
        #expect(stat(copy, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("A vehicle that has another key in the copy keeps its own numbers")
    func keys() throws {
        try store([1, 2])
        try backUp()
        // The copy of the second backup is one whose vehicle has another key.
        try archive.database.records.connection.execute(
            "PRAGMA foreign_keys = OFF; UPDATE vehicles SET id = 9; UPDATE covered SET vehicle = 9")
        try backUp()
        #expect(try archive.rows("SELECT vehicle, last FROM backed_up") == [["9", "2"]])
    }

    @Test("A backup that fails changes neither the database nor the copy before it")
    func failure() throws {
        try store([1])
        try backUp()
        try store([2])
        let missing = archive.folder.file("none/copy.db")
        #expect(throws: DatabaseFailure.self) { try RecorderBackup.make(of: archive.location, at: missing) }
        #expect(throws: DatabaseFailure.self) {
            try RecorderBackup.make(of: archive.location, at: archive.file.path)
        }
        // The lock is what a second command has.
        let folder = open(archive.folder.path, O_RDONLY)
        flock(folder, LOCK_EX)
        #expect(throws: DatabaseFailure.self) { try backUp() }
        close(folder)
        #expect(throws: DatabaseFailure.self) {
            try RecorderBackup.make(of: .file(path: archive.folder.file("absent.db")), at: copy)
        }
        #expect(access(archive.folder.file("absent.db"), F_OK) != 0)
        #expect(try safe(archive.database.records) == 1)
        #expect(try DatabaseFile(copy).rows("SELECT count(*) FROM records") == [["1"]])
        // The rest of a command that was killed.
        try archive.folder.write("rest", to: "copy.db.partial")
        try backUp()
        #expect(try safe(archive.database.records) == 2)
    }

    @Test("A copy goes to the file that a link names, and nothing else than a regular file is replaced")
    func notRegular() throws {
        try store([1])
        let folder = try TemporaryFolder()
        func kind(_ path: String) -> mode_t {
            var status = stat()
            return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
        }
        let (target, link) = (try folder.write("old", to: "target.db"), folder.file("link"))
        try #require(symlink(target, link) == 0)
        try RecorderBackup.make(of: archive.location, at: link)
        #expect(try DatabaseFile(target).rows("SELECT count(*) FROM records") == [["1"]])
        #expect(kind(link) == S_IFLNK && kind(target) == S_IFREG)
        let (pipe, lost) = (folder.file("pipe"), folder.file("lost"))
        try #require(mkfifo(pipe, 0o600) == 0 && symlink(folder.file("none"), lost) == 0)
        for (path, kept) in [(pipe, S_IFIFO), (lost, S_IFLNK), (folder.path, S_IFDIR)] {
            #expect(throws: DatabaseFailure.self, "\(path)") { try RecorderBackup.make(of: archive.location, at: path) }
            #expect(kind(path) == kept, "\(path)")
        }
        #expect(try archive.database.records.backupCount() == 1)
    }

    @Test("A file of the database is no place for a copy, whether it is there or not")
    func ownFiles() throws {
        try store([1])
        for suffix in ["", "-wal", "-shm", "-journal", ".lock"] {
            for place in ["recorder.db", "./recorder.db"] {
                #expect(throws: DatabaseFailure.self, "\(suffix)") {
                    try RecorderBackup.make(of: archive.location, at: archive.folder.file(place + suffix))
                }
            }
        }
        try store([2])
        #expect(try archive.rows("SELECT count(*) FROM records") == [["2"]])
        #expect(access(archive.folder.file("recorder.db-journal"), F_OK) != 0)
        // The copy is first written beside its path.
        let other = archive.folder.file("other.db")
        _ = try RecordDatabase(path: other + ".partial")
        #expect(throws: DatabaseFailure.self) {
            try RecorderBackup.make(of: .file(path: other + ".partial"), at: other)
        }
        #expect(access(other + ".partial", F_OK) == 0)
    }

    @Test("A copy for which there is no space is an error of the copy, and leaves nothing")
    func full() async throws {
        try store([1])
        try archive.folder.write("rest", to: "copy.db.partial-journal")
        let ran = try await ChildProcess.run(
            "bash",
            [
                "-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "bash", BuiltProgram.path("odograph-recorder"),
                "backup", "--database", archive.file.path, "--output", copy,
            ])
        #expect(ran.ending == .exited(73) && ran.errors.contains("\(copy): cannot write the backup"), "\(ran.errors)")
        for path in [copy, copy + ".partial", copy + ".partial-journal"] { #expect(access(path, F_OK) != 0, "\(path)") }
    }

    @Test("Each new database has another name, which stays the same")
    func names() throws {
        let names = try (0..<20).map { _ in try RecordDatabase(path: ":memory:").databaseID }
        #expect(Set(names).count == 20 && names.allSatisfy { $0.utf8.count == 16 })
        let connection = try SQLiteSchema.openForReading(archive.file.path)
        #expect(try RecorderSchema.databaseID(of: connection) == archive.database.records.databaseID)
    }

    @Test("The revision of a published receipt is stored with the next batch, and never becomes smaller")
    func revision() throws {
        try store([1])
        archive.database.records.noteRevision(50, of: vehicle)
        #expect(try archive.database.records.coverage(of: vehicle).revision == 50)
        func stored() throws -> [[String]] { try archive.rows("SELECT receipt_revision FROM vehicles") }
        #expect(try stored() == [["0"]])
        try store([2])
        #expect(try stored() == [["50"]])
        archive.database.records.noteRevision(40, of: vehicle)
        try store([3])
        #expect(try stored() == [["50"]])
    }

    @Test("A vehicle reads receipts if its report says so")
    func readers() throws {
        try archive.store([(van + "reported", try Payloads.reported([]))])
        #expect(try archive.database.records.receiptReaders().isEmpty)
        try archive.store([(van + "reported", try Payloads.reported([], receipts: []))])
        #expect(try archive.database.records.receiptReaders().map(\.device) == ["van-7"])
    }
}
