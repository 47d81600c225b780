/// A task that outlives a kill: the records of an earlier epoch that were never published get other numbers, because
/// somebody else has used theirs.
struct Renumbering: Hashable, Sendable {
    /// The name of the document that contains it. There is none if nothing is left to do.
    static let documentName = "renumbering"

    /// The earlier epoch.
    var epoch: Int64
    /// The last number of the epoch that can have been published.
    var last: Int64

    init(epoch: Int64, after last: Int64) {
        self.epoch = epoch
        self.last = last
    }

    /// Reads a document; nil if it is not readable.
    init?(document bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 2, let epoch = Int64(words[0]), let last = Int64(words[1]) else { return nil }
        self.init(epoch: epoch, after: last)
    }

    /// The document: the epoch and the number.
    var document: [UInt8] { Array("\(epoch) \(last)".utf8) }
}
