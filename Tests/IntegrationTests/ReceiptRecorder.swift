import FoundationEssentials
import OdographHarness
import OdographJSON
import OdographWire
import Testing

/// A recorder that keeps each record it receives and publishes receipts. All that it has is also in its backup.
struct ReceiptRecorder {
    let subscriber: Subscriber
    private let operatorTools: BrokerOperator
    private var revision: Int64 = 0
    /// The numbers by epoch that a record has, or that a given-up record names.
    private(set) var covered: [Int64: RangeSet<Int64>] = [:]

    init(port: UInt16) async throws {
        subscriber = try await Subscriber(port: port)
        operatorTools = BrokerOperator(port: port)
    }

    /// Reads what has arrived, and publishes a receipt if the broker takes it.
    mutating func update() async throws {
        covered = [:]
        for record in try subscriber.records() {
            guard case .integer(let epoch)? = record.members["epoch"], let seq = record.seq else { continue }
            covered[epoch, default: RangeSet()].insert(contentsOf: seq..<seq + 1)
            guard case .array(let ranges)? = record.members["ranges"] else { continue }
            for range in try ranges.map({ try JSONCoder.decode(GivenUpRange.self, from: $0) }) {
                covered[range.epoch, default: RangeSet()].insert(contentsOf: range.from..<range.to + 1)
            }
        }
        revision += 1
        let epochs = covered.sorted { $0.key < $1.key }.compactMap { epoch, numbers -> Receipt.Epoch? in
            guard let end = numbers.ranges.last?.upperBound else { return nil }
            let missing = RangeSet(1..<end).subtracting(numbers).ranges.map { $0.lowerBound...$0.upperBound - 1 }
            let isPartial = missing.count > Receipt.maximumMissingRanges
            return Receipt.Epoch(
                epoch: epoch, through: isPartial ? missing[Receipt.maximumMissingRanges].lowerBound - 1 : end - 1,
                missing: Array(missing.prefix(Receipt.maximumMissingRanges)),
                safe: missing.first.map { $0.lowerBound - 1 } ?? end - 1, isPartial: isPartial)
        }
        let receipt = Receipt(databaseID: "double", revision: revision, interval: 1, epochs: epochs)
        // While the broker is down, the next receipt replaces this one.
        try? await operatorTools.publish(
            String(decoding: try JSONCoder.bytes(of: receipt), as: UTF8.self), to: "fleet/acme/van-7/receipt/main")
    }

    /// Whether each number of the epoch up to one is covered.
    func hasAll(through last: Int64) -> Bool {
        covered.values.contains { RangeSet(1..<last + 1).subtracting($0).isEmpty }
    }
}
