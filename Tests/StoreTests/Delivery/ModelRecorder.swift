import OdographHarness
import OdographWire

@testable import OdographStore

/// A simple database of a recorder: it stores records and the numbers that given-up records name, makes receipts, and
/// can return to its newest backup.
struct ModelRecorder {
    private struct Content {
        var records: [RecordKey: [UInt8]] = [:]
        var named: [Int64: NumberSet] = [:]
    }

    let name: String
    /// The largest number of missing ranges in a receipt.
    let maximumRanges: Int
    private var content = Content()
    private var backup = Content()
    private var revision: Int64 = 0

    init(name: String, maximumRanges: Int) {
        self.name = name
        self.maximumRanges = maximumRanges
    }

    /// Stores a record. Returns false if its number has another content.
    mutating func store(_ record: StoredRecord) -> Bool {
        let known = content.records[record.key]
        content.records[record.key] = record.payload
        if record.kind == .givenUp {
            for range in GivenUpCodec.text.decode(record.payload) {
                content.named[range.epoch, default: NumberSet()].insert(range.numbers)
            }
        }
        return known == nil || known == record.payload
    }

    mutating func makeBackup() { backup = content }

    mutating func rollBack() { content = backup }

    /// Empties the database and its backup.
    mutating func lose() { (content, backup) = (Content(), Content()) }

    func covers(_ key: RecordKey) -> Bool { Self.covered(in: key.epoch, by: content).contains(key.seq) }

    private static func covered(in epoch: Int64, by content: Content) -> NumberSet {
        var covered = content.named[epoch] ?? NumberSet()
        for key in content.records.keys where key.epoch == epoch { covered.insert(key.seq...key.seq) }
        return covered
    }

    /// Returns a new receipt.
    mutating func receipt() -> RecorderReceipt {
        revision += 1
        let epochs = Set(content.records.keys.map(\.epoch)).union(content.named.keys)
        let statements = epochs.sorted().map { epoch in
            let covered = Self.covered(in: epoch, by: content)
            let safe = Self.covered(in: epoch, by: backup).intersection(covered).lastOfRange(with: 1) ?? 0
            let last = covered.ranges.last.map { $0.upperBound - 1 } ?? 0
            let missing = NumberSet(through: last).subtracting(covered).closedRanges
            guard missing.count > maximumRanges else {
                return Receipt.Epoch(epoch: epoch, through: last, missing: missing, safe: safe)
            }
            return Receipt.Epoch(
                epoch: epoch, through: missing[maximumRanges].lowerBound - 1,
                missing: Array(missing.prefix(maximumRanges)), safe: safe, isPartial: true)
        }
        return RecorderReceipt(
            recorder: name,
            receipt: Receipt(databaseID: name, revision: revision, interval: 600, epochs: statements))
    }
}

extension GivenUpCodec {
    /// Given-up records as text: the identity of the record, and then each range.
    static let text = GivenUpCodec { identity, _, numbers in
        let ranges = numbers.map { "\($0.epoch):\($0.numbers.lowerBound):\($0.numbers.upperBound):\($0.reason.word)" }
        let text = "\(identity.epoch) \(identity.seq) \(identity.uuid) " + ranges.joined(separator: " ")
        return RecordPayload(first: text.utf8.first ?? 0x30, rest: text.utf8.dropFirst())
    } decode: { payload in
        String(decoding: payload, as: UTF8.self).split(separator: " ").dropFirst(3).compactMap { word in
            let parts = word.split(separator: ":")
            guard parts.count == 4, let epoch = Int64(parts[0]), let from = Int64(parts[1]), let to = Int64(parts[2])
            else { return nil }
            return GivenUpNumbers(epoch: epoch, numbers: from...to, reason: .init(word: String(parts[3])))
        }
    }
}
