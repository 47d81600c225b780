import OdographWire

/// The numbers of the records that the broker has acknowledged at least once, with delivery by receipts.
///
/// Another machine can run with a copy of this database, and make other records with the same numbers. A receipt can be
/// about these. So a receipt alone is no reason to delete a record, or not to send it: it must have been published.
package struct PublishedNumbers: Hashable, Sendable {
    /// The name of the document that ``document`` is saved as.
    static let documentName = "published"
    /// The largest number of ranges of an epoch that are saved: the first ones. Records in others can be published
    /// again after a restart.
    static let maximumRanges = 100

    private var numbers: [Int64: NumberSet] = [:]
    /// The number of records that were noted since they were last saved.
    private(set) var unsavedCount = 0

    init() {}

    /// Reads a document. What is not readable counts as not published.
    init(document bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let epoch = words.first.flatMap({ Int64($0) }) else { continue }
            for word in words.dropFirst() {
                let ends = word.split(separator: "-").compactMap { Int64($0) }
                guard ends.count == 2, 0 < ends[0], ends[0] <= ends[1], ends[1] < .max else { continue }
                numbers[epoch, default: NumberSet()].insert(ends[0]...ends[1])
            }
        }
    }

    /// The document: a line for each epoch, with the epoch and its ranges.
    var document: [UInt8] {
        let lines = numbers.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { epoch, numbers in
            let ranges = numbers.closedRanges.prefix(Self.maximumRanges)
            return "\(epoch)" + ranges.map { " \($0.lowerBound)-\($0.upperBound)" }.joined() + "\n"
        }
        return Array(lines.joined().utf8)
    }

    /// The epochs of published records.
    var epochs: some Sequence<Int64> { numbers.keys }

    /// Returns the numbers of an epoch.
    package subscript(epoch: Int64) -> NumberSet { numbers[epoch] ?? NumberSet() }

    mutating func insert(_ key: RecordKey) {
        numbers[key.epoch, default: NumberSet()].insert(key.seq...key.seq)
        unsavedCount += 1
    }

    /// Makes them ready to be saved: adds the numbers around them that have no record. So records that are published in
    /// order are one range, also if others between them are deleted. An epoch without a kept record is forgotten.
    ///
    /// - Parameter firstKept: Returns the number of the first kept record of an epoch from a number on; nil for none.
    mutating func join(
        firstKept: (_ epoch: Int64, _ from: Int64) throws(StoreError) -> Int64?
    ) throws(StoreError) {
        var all: [Int64: NumberSet] = [:]
        for (epoch, published) in numbers {
            var (joined, last) = (NumberSet(), Int64(0))
            while let kept = try firstKept(epoch, last + 1) {
                if let end = published.lastOfRange(with: kept) {
                    joined.insert(last + 1...end)
                    last = end
                } else if let next = published.intersection(NumberSet([kept...Int64.max - 1])).ranges.first {
                    last = next.lowerBound - 1
                } else {
                    break
                }
            }
            if !joined.isEmpty { all[epoch] = joined }
        }
        (numbers, unsavedCount) = (all, 0)
    }
}
