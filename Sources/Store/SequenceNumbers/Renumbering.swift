import OdographCivilTime
import OdographWire

/// A task that outlives a kill: a new epoch begins because somebody else has used numbers of the present one, and the
/// records that were never published get numbers of it.
struct Renumbering: Hashable, Sendable {
    /// The name of the document that contains it. There is none if nothing is left to do.
    static let documentName = "renumbering"

    /// The epoch whose numbers somebody else has used.
    var epoch: Int64
    /// The last number of the epoch that can have been published from this disk.
    var published: Int64
    /// The last number that somebody else, or this disk, can have used.
    var through: Int64
    /// An epoch that the new one must be later than; 0 for none.
    var known: Int64

    init(epoch: Int64, published: Int64, through: Int64, known: Int64) {
        self.epoch = epoch
        self.published = published
        self.through = through
        self.known = known
    }

    /// Reads a document; nil if it is not readable.
    init?(document bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        let numbers = words.compactMap { Int64($0) }
        guard words.count == 4, numbers.count == 4 else { return nil }
        self.init(epoch: numbers[0], published: numbers[1], through: numbers[2], known: numbers[3])
    }

    /// The document: the four numbers.
    var document: [UInt8] { Array("\(epoch) \(published) \(through) \(known)".utf8) }

    /// The numbers of the epoch whose records this disk does not have; nil for none.
    var shared: ClosedRange<Int64>? { published < through ? published + 1...through : nil }

    /// Adds the entry for ``shared``, unless the ledger has it.
    func addShared(to ledger: inout Ledger, at now: Timestamp) {
        guard let shared else { return }
        let isKnown = ledger.entries.contains {
            $0.epoch == epoch && $0.reason == .possiblyLost && $0.fromSeq <= shared.lowerBound
                && $0.toSeq >= shared.upperBound
        }
        if !isKnown { ledger.add(LedgerEntry(shared, of: epoch, because: .possiblyLost, at: now)) }
    }
}
