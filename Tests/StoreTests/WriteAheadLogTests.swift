import OdographHarness
import OdographSQLite
import Testing

@testable import OdographStore

@Suite("The end of a write-ahead log")
struct WriteAheadLogTests {
    private static let headerBytes = 32
    private static let frameBytes = 24 + SQLiteConnection.pageBytes
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns a log of six commits, with frames of an earlier log after them, and the index of the last frame of each
    /// commit.
    private func makeLog() async throws -> (bytes: [UInt8], ends: [Int]) {
        let store = try await open(folder.database, StoreOptions().with { $0.walPreallocationBytes = 512 << 10 })
        for _ in 0..<6 { _ = try await store.fill(1) }
        let bytes = folder.bytes(at: folder.database + "-wal")
        let ends = (0..<(bytes.count - Self.headerBytes) / Self.frameBytes).filter { frame in
            let start = Self.headerBytes + frame * Self.frameBytes
            return bytes[start + 4..<start + 8] != [0, 0, 0, 0] && bytes[start + 8..<start + 16] == bytes[16..<24]
        }
        return (bytes, ends)
    }

    @Test("An undamaged log is whole, or unfinished if it ends within a transaction")
    func whole() async throws {
        let (bytes, ends) = try await makeLog()
        for frames in 0...(try #require(ends.last)) + 1 {
            let written = Self.headerBytes + frames * Self.frameBytes
            let log = Array(bytes[..<written]) + [UInt8](repeating: 0, count: bytes.count - written)
            let isUnfinished = frames > 0 && !ends.contains(frames - 1)
            #expect(WriteAheadLog(log)?.end == (isUnfinished ? .unfinished : .whole), "\(frames)")
        }
    }

    @Test("A flipped bit breaks any frame, and before the last commit but one the loss of a commit is certain")
    func flipped() async throws {
        let (bytes, ends) = try await makeLog()
        let last = try #require(ends.last)
        let lastButOne = try #require(ends.dropLast().last)
        var wrong: [String] = []
        for frame in 0...last {
            // Bytes of the page, of its checksum, and of the salts.
            for offset in [24, Self.frameBytes - 1, 16, 23, 8, 15] {
                var damaged = bytes
                damaged[Self.headerBytes + frame * Self.frameBytes + offset] ^= 4
                let end = WriteAheadLog(damaged)?.end
                if case .broken(let isFollowed) = end {
                    // The next frame cannot be verified if the checksum itself has changed.
                    if !isFollowed, frame < lastButOne - 1 {
                        wrong.append("frame \(frame), byte \(offset): \(String(describing: end))")
                    }
                    if isFollowed, frame >= lastButOne {
                        wrong.append("frame \(frame), byte \(offset): \(String(describing: end))")
                    }
                } else if frame < last || (offset < 8 || offset > 15) && end != .torn {
                    wrong.append("frame \(frame), byte \(offset): \(String(describing: end))")
                }
            }
        }
        #expect(wrong == [], "\(ends)")
    }

    @Test("A flipped bit of the header makes the log invalid")
    func header() async throws {
        let (bytes, _) = try await makeLog()
        for index in 0..<Self.headerBytes {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(WriteAheadLog(damaged) == nil, "byte \(index)")
        }
        #expect(WriteAheadLog([UInt8](repeating: 0, count: bytes.count)) == nil)
        #expect(WriteAheadLog([]) == nil)
    }

    @Test("Frames of an earlier log after the end are not damage")
    func earlier() async throws {
        let (bytes, _) = try await makeLog()
        var log = bytes
        // The frames after the second one get the salts of another log.
        for start in stride(
            from: Self.headerBytes + 2 * Self.frameBytes, to: log.count - Self.frameBytes, by: Self.frameBytes)
        {
            for index in start + 8..<start + 16 { log[index] ^= 0x55 }
        }
        #expect(WriteAheadLog(log)?.end == .whole)
    }
}
