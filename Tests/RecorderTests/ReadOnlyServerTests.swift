import Testing

@testable import OdographRecorder

@Suite("A database server that is read-only for a while")
struct ReadOnlyServerTests {
    @Test("A recorder at its start waits for the server, as for one that cannot be reached, and then stores")
    func readOnly() async throws {
        let archive = try await ServerArchive()
        let name = try #require(try archive.rows("SELECT current_database()").first?.first)
        archive.close()
        _ = try archive.rows("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        #expect {
            try archive.reopen()
            try archive.store([(van + "location", try Payloads.location(1))])
        } throws: { error in
            guard let failure = error as? DatabaseFailure, case .unavailable(_, let detail) = failure else {
                return false
            }
            return failure.mayEnd && detail.contains("read-only")
        }
        _ = try archive.rows("ALTER DATABASE \(name) SET default_transaction_read_only = off")
        try archive.reopen()
        try archive.store([(van + "location", try Payloads.location(1))])
        #expect(try archive.rows("SELECT count(*) FROM records") == [["1"]])
    }
}
