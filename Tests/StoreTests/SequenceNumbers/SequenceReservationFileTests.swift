import Glibc
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("The reservation file")
struct SequenceReservationFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func record(_ through: Int64) -> SequenceReservation {
        SequenceReservation(
            epochIdentity: EpochIdentity(epoch: 1 << 50, seed: .init(high: .max, low: 5)),
            committedThrough: through - 1,
            reservedThrough: through, latestEpoch: 1 << 51, logBytes: 1 << 21, isDurable: through % 2 == 0,
            bootID: through % 3 == 0 ? nil : .max,
            announcedThrough: through - 1, announcementID: .max - 1)
    }

    private func load() throws -> SequenceReservationFile.Content {
        var file = SequenceReservationFile(besideDatabase: folder.database, on: .system)
        return try file.load()
    }

    private var path: String { folder.database + "-numbers" }

    @Test("A saved reservation can be loaded, also by another instance that then saves")
    func written() throws {
        #expect(try load() == .absent)
        for through in 1...5 as ClosedRange<Int64> {
            var file = SequenceReservationFile(besideDatabase: folder.database, on: .system)
            _ = try file.load()
            try file.save(record(through))
            #expect(try load() == .reservation(record(through)))
            try file.save(record(through + 100))
            #expect(try load() == .reservation(record(through + 100)))
        }
        #expect(folder.bytes(at: path).count == 4096 + 104)
    }

    @Test("A power cut during a save leaves the previous or the new reservation")
    func interrupted() throws {
        var file = SequenceReservationFile(besideDatabase: folder.database, on: .system)
        try file.save(record(10))
        let before = folder.bytes(at: path)
        try file.save(record(20))
        let after = folder.bytes(at: path)
        for (offset, isSecond) in [(0, false), (4096, true)] {
            for length in 0...104 {
                // The first copy is on the disk before the second is written.
                var torn = isSecond ? after : before
                for index in 0..<104 {
                    torn[offset + index] = index < length ? after[offset + index] : before[offset + index]
                }
                folder.put(torn, at: path)
                let isNew = isSecond || length == 104
                #expect(try load() == .reservation(record(isNew ? 20 : 10)), "\(offset) \(length)")
                // The next save never overwrites the only valid copy first.
                var next = SequenceReservationFile(besideDatabase: folder.database, on: .system)
                _ = try next.load()
                try next.save(record(30))
                #expect(try load() == .reservation(record(30)))
            }
        }
    }

    @Test("A flipped bit of one copy is detected and the other copy is used; without both there is no reservation")
    func flipped() throws {
        var file = SequenceReservationFile(besideDatabase: folder.database, on: .system)
        try file.save(record(10))
        let whole = folder.bytes(at: path)
        for bit in 0..<832 {
            for offset in [0, 4096] {
                var bytes = whole
                bytes[offset + bit / 8] ^= 1 << UInt8(bit % 8)
                folder.put(bytes, at: path)
                #expect(try load() == .reservation(record(10)))
                bytes[4096 - offset + bit / 8] ^= 1 << UInt8(bit % 8)
                folder.put(bytes, at: path)
                #expect(try load() == .unreadable)
            }
        }
        for length in [0, 1, 103, 104, 4096, 4199] {
            folder.put(whole.prefix(length), at: path)
            #expect(try load() == (length < 104 ? .unreadable : .reservation(record(10))), "\(length)")
        }
    }

    @Test("A reservation in another format is unreadable, although its checksum is right")
    func otherFormat() throws {
        for (version, content) in [
            (UInt8(ascii: "2"), SequenceReservationFile.Content.reservation(record(10))),
            (UInt8(ascii: "1"), .unreadable), (UInt8(ascii: "3"), .unreadable),
        ] {
            var bytes = Array(record(10).bytes(writes: 1).dropLast(8))
            bytes[7] = version
            var checksum = Checksum()
            checksum.add(bytes)
            bytes += withUnsafeBytes(of: checksum.value.littleEndian) { Array($0) }
            folder.put(bytes, at: path)
            #expect(try load() == content)
        }
    }

    @Test("An unreadable reservation file is an error that names it, and nothing is set aside")
    func unusable() async throws {
        do { try await open(folder.database).fill(3) }
        folder.remove(path)
        mkdir(path, 0o700)
        await #expect {
            try await open(folder.database)
        } throws: { error in
            guard case StoreError.unusable(path, _) = error else { return false }
            return true
        }
        #expect(!folder.names.contains { $0.contains("aside") })
        rmdir(path)
    }
}
