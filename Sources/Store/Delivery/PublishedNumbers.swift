import OdographWire

/// The numbers of the records that the broker has acknowledged at least once, with delivery by receipts.
///
/// Another machine can run with a copy of this database, and make other records with the same numbers. A receipt can be
/// about these. So a receipt alone is no reason to delete a record, or not to send it: it must have been published.
package struct PublishedNumbers: Hashable, Sendable {
    /// The name of the document that ``saved`` is read from and written to.
    static let documentName = "published"

    private var numbers: [Int64: NumberSet] = [:]
    /// For each epoch the last number up to which all kept records were published, when it was saved. After a crash, a
    /// record above it can be published once more.
    private(set) var saved: [Int64: Int64] = [:]
    /// The number of records that were noted since ``saved`` was saved.
    private(set) var unsavedCount = 0

    init() {}

    /// Reads a document. What is not readable counts as not published.
    init(document bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let epoch = Int64(words[0]), let last = Int64(words[1]), last > 0, last < .max
            else { continue }
            save([epoch: last].merging(saved) { new, _ in new })
        }
    }

    /// The document: a line for each epoch, with the epoch and the last number.
    var document: [UInt8] {
        let lines = saved.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
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

    /// Replaces ``saved``. Epochs that it does not name have no kept records, and are forgotten.
    mutating func save(_ new: [Int64: Int64]) {
        (saved, unsavedCount) = (new, 0)
        numbers = numbers.filter { new[$0.key] != nil }
        for (epoch, last) in new where last > 0 { numbers[epoch, default: NumberSet()].insert(1...last) }
    }
}
