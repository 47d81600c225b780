import Glibc
import OdographHarness
import Testing

@testable import OdographRecorder

@Suite("One recorder for each file")
struct WriterLockTests {
    @Test("A file that a recorder writes is in use under each name, until that one ends")
    func inUse() throws {
        let folder = try TemporaryFolder()
        let (path, link) = (folder.file("recorder.db"), folder.file("link.db"))
        var first: RecordDatabase? = try RecordDatabase(path: path)
        try #require(symlink(path, link) == 0)
        let identifier = try #require(first?.databaseID)
        for name in [path, link] {
            #expect(throws: DatabaseFailure.inUse(path: name)) { try RecordDatabase(path: name) }
        }
        // What works beside a recorder.
        _ = try BackupMark.begin(of: .file(path: path))
        try first?.verify()
        first = nil
        #expect(try RecordDatabase(path: link).databaseID == identifier)
        var status = stat()
        #expect(stat(path + ".lock", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("A second recorder waits without a connection to the broker, and takes over when the first one ends")
    func secondRecorder() async throws {
        let broker = try await MosquittoBroker()
        let first = try RecorderService(broker: broker.port)
        try await first.start()
        let second = try RecorderService(broker: broker.port, path: first.file.path)
        try await second.begin()
        func isSaid(_ text: String) async throws -> Bool {
            try await eventually { second.log.lines.contains { $0.contains(text) } ? true : nil } == true
        }
        #expect(try await isSaid("waiting for the database"), "\(second.log.lines)")
        #expect(!second.log.lines.contains { $0.contains("connected to the broker") }, "\(second.log.lines)")
        try await first.stop()
        #expect(try await isSaid("connected to the broker"), "\(second.log.lines)")
        try await BrokerOperator(port: broker.port).publish(
            String(decoding: Payloads.location(1), as: UTF8.self), to: van + "location")
        try await second.waitForRecords(1)
        try await second.stop()
        #expect(!first.log.lines.contains { $0.contains("no connection to the broker") }, "\(first.log.lines)")
    }
}
