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

    @Test("Each new database has another name, which stays the same")
    func names() throws {
        let names = try (0..<20).map { _ in try RecordDatabase(path: ":memory:").databaseID }
        #expect(Set(names).count == 20 && names.allSatisfy { $0.utf8.count == 16 })
        #expect(try RecordDatabase(path: archive.file.path).databaseID == archive.database.records.databaseID)
    }

    @Test("The revision of a published receipt is stored with the next batch, and never becomes smaller")
    func revision() throws {
        try store([1])
        archive.database.records.noteRevision(50, of: vehicle)
        #expect(try archive.database.records.coverage(of: vehicle).revision == 50)
        let other = try RecordDatabase(path: archive.file.path)
        #expect(try other.coverage(of: vehicle).revision == 0)
        try store([2])
        #expect(try other.coverage(of: vehicle).revision == 50)
        archive.database.records.noteRevision(40, of: vehicle)
        try store([3])
        #expect(try other.coverage(of: vehicle).revision == 50)
    }

    @Test("A vehicle reads receipts if its report says so")
    func readers() throws {
        try archive.store([(van + "reported", try Payloads.reported([]))])
        #expect(try archive.database.records.receiptReaders().isEmpty)
        try archive.store([(van + "reported", try Payloads.reported([], receipts: []))])
        #expect(try archive.database.records.receiptReaders().map(\.device) == ["van-7"])
    }
}
