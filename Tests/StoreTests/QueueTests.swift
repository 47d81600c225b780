import OdographCivilTime
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("The records that wait")
struct QueueTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Compares the statistics with the records that wait, oldest first.
    private func expect(_ waiting: [StoredRecord], in store: AgentStore, _ step: String) async throws {
        let statistics = try await store.statistics()
        #expect(statistics.oldest == waiting.first?.timestamp, "\(step)")
        #expect((statistics.depth == 0) == waiting.isEmpty, "\(step): \(statistics.depth)")
    }

    @Test(
        "A queue of 0 records has no oldest one, and the oldest one waits, in any order of what the broker does",
        arguments: 0..<6)
    func acknowledgements(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let batch = Int.random(in: 5...40, using: &random)
        let store = try await open(folder.database, StoreOptions().with { $0.acknowledgementBatch = batch })
        for step in 0..<60 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let count = Int.random(in: 1...6, using: &random)
                try await store.commit((0..<count).map { record(at: second(step * 10 + $0)) }, journal: [], now: start)
            case 4..<6:
                // Only the newest ones: the older ones wait.
                try await store.acknowledge(store.all().suffix(3).map(\.key))
            case 6..<8: try await store.acknowledge(store.all().map(\.key))
            case 8: try await store.acknowledge(store.all().filter { _ in Bool.random(using: &random) }.map(\.key))
            default: try await store.beginEpoch(now: start)
            }
            let waiting = try await store.all()
            try await expect(waiting, in: store, "seed \(seed), step \(step)")
            #expect(try await store.statistics().depth == waiting.count, "seed \(seed), step \(step)")
        }
    }

    @Test("With receipts a record waits until each store covers it, also of an earlier epoch", arguments: 0..<6)
    func receipts(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let store = try await AgentStore.open(at: folder.database, now: start).store
        try await store.configureDelivery(DeliveryPolicy(recorders: ["main"], keepSeconds: 3600, codec: .text))
        var covered: [Int64: NumberSet] = [:]
        for step in 0..<40 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<3: try await store.commit([record(at: second(step))], journal: [], now: second(step))
            case 3:
                try await store.notePublished(store.all().map(\.key))
                try await store.beginEpoch(now: second(step))
            default:
                try await store.notePublished(store.all().map(\.key))
                var epochs: [Receipt.Epoch] = []
                for (epoch, records) in Dictionary(grouping: try await store.all(), by: \.epoch) {
                    let last = try #require(records.map(\.seq).max())
                    let missing = records.map(\.seq).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
                    epochs.append(Receipt.Epoch(epoch: epoch, through: last, missing: missing.map { $0...$0 }))
                    covered[epoch] = NumberSet(through: last).subtracting(NumberSet(missing.map { $0...$0 }))
                }
                epochs.sort { $0.epoch < $1.epoch }
                let receipt = Receipt(databaseID: "a", revision: Int64(step), interval: 600, epochs: epochs)
                _ = try await store.apply(RecorderReceipt(recorder: "main", receipt: receipt), now: second(step))
            }
            let waiting = try await store.all().filter { !(covered[$0.epoch] ?? NumberSet()).contains($0.seq) }
            try await expect(waiting, in: store, "seed \(seed), step \(step)")
        }
    }
}
