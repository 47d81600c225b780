import OdographCivilTime
import Glibc
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("Numbers after damage to the files")
struct NumberReuseTests {
    /// The number of rounds of a test. The long run sets `ODOGRAPH_NUMBER_ROUNDS` to a thousand.
    private static let rounds = getenv("ODOGRAPH_NUMBER_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 10

    private static func record(_ content: String) -> PendingRecord {
        PendingRecord(kind: .location, timestamp: start) { identity in
            let name = Array("\(identity.epoch) \(identity.seq) \(identity.uuid) \(content) ".utf8)
            return name + [UInt8](repeating: 0x2E, count: max(0, 300 - name.count))
        }
    }

    @Test(
        "No number and no UUID ever has two contents, and the ledger explains each missing number",
        arguments: StoreSynchronous.allCases, 0..<4)
    func rounds(synchronous: StoreSynchronous, seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: seed)
        let options = StoreOptions(synchronous: synchronous).with { $0.walPreallocationBytes = 64 << 10 }
        var witness = Witness()
        var spoiling = Spoiling.none
        var older: (epoch: Int64, file: [UInt8], log: [UInt8])?
        for round in 0..<Self.rounds {
            let store = try await open(folder.database, options, now: second(round))
            let isTold = store.report.inconsistency != nil || store.report.damage != nil
            switch spoiling {
            case .none, .numbersBitFlipped: #expect(!isTold, "\(store.report)")
            case .numbersDeleted, .numbersZeroed, .databaseDeleted: #expect(isTold, "\(spoiling)")
            case .logDeleted: #expect(isTold, "\(spoiling)")
            case .logBitFlipped, .logTruncated, .logTailZeroed: break
            }
            // Stored records are delivered now or later.
            for record in try await store.all() { witness.see(record) }
            let unexplained = witness.unexplained(by: await store.ledger())
            try #require(unexplained.isEmpty, "\(unexplained), \(spoiling) in round \(round), \(store.report)")
            var stored: [StoredRecord] = []
            for commit in 0..<Int.random(in: 0...20, using: &random) {
                let records = (0..<Int.random(in: 1...40, using: &random)).map {
                    Self.record("\(round)-\(commit)-\($0)")
                }
                stored += try await store.commit(records, journal: [], snapshot: [1], now: second(round))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let delivered = stored.filter { _ in Bool.random(using: &random) }
                    for record in delivered { witness.see(record) }
                    try await store.acknowledge(delivered.map(\.key))
                }
            }
            // Some records were published, some were not.
            let published = Int.random(in: 0...stored.count, using: &random)
            for record in stored[..<published] { witness.see(record) }
            if Int.random(in: 0..<4, using: &random) == 0 {
                for record in stored { witness.see(record) }
                try await store.close()
                spoiling = .none
                continue
            }
            let kept = ["", "-wal", "-numbers"].map { ($0, folder.bytes(at: folder.database + $0)) }
            // Closed and then restored: the state after a kill.
            try await store.close()
            for (name, bytes) in kept { folder.put(bytes, at: folder.database + name) }
            spoiling = Spoiling.allCases.randomElement(using: &random) ?? .none
            spoiling.spoil(folder.database, in: folder, using: &random)
            if spoiling == .none, let copy = older, copy.epoch == store.epochIdentity.epoch {
                folder.put(copy.file, at: folder.database)
                folder.put(copy.log, at: folder.database + "-wal")
                older = nil
                spoiling = .logBitFlipped
            } else if Int.random(in: 0..<3, using: &random) == 0 {
                older = (store.epochIdentity.epoch, kept[0].1, kept[1].1)
            }
            if spoiling == .none || spoiling == .numbersBitFlipped || spoiling == .numbersDeleted {
                for record in stored { witness.see(record) }
            }
        }
        #expect(witness.contradictions.isEmpty)
        #expect(witness.count > Self.rounds * 10)
    }
}
