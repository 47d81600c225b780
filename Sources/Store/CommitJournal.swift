/// Journal entries as they lie in a row: each is its ordinal, its length, its bytes; both numbers as LEB128 (DWARF 5, section 7.6).
///
/// An entry has an ordinal of its own, since entries move: when a row is deleted, its entries are carried into the newest row or into the
/// `journal` table, and their order there says nothing.
struct CommitJournal {
    /// What a commit was given.
    struct Entry: Hashable {
        /// Counts the commits that had a journal.
        var ordinal: Int64
        var bytes: [UInt8]
    }

    /// The entries, one after the other.
    private(set) var encoded: [UInt8] = []

    var isEmpty: Bool { encoded.isEmpty }

    mutating func append(_ entry: Entry) {
        encoded.reserveCapacity(encoded.count + entry.bytes.count + 12)
        appendLEB128(UInt64(bitPattern: entry.ordinal))
        appendLEB128(UInt64(entry.bytes.count))
        encoded += entry.bytes
    }

    /// Appends entries that already have this form.
    mutating func append(encoded other: [UInt8]) { encoded += other }

    private mutating func appendLEB128(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            encoded.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        encoded.append(UInt8(rest))
    }

    /// The entries in some bytes; where they make no sense, or there are but zeros, those before.
    static func entries(in encoded: [UInt8]) -> [Entry] {
        var rest = encoded[...]
        var entries: [Entry] = []
        while let ordinal = readLEB128(from: &rest), ordinal > 0, let count = readLEB128(from: &rest),
            count <= UInt64(rest.count)
        {
            entries.append(Entry(ordinal: Int64(bitPattern: ordinal), bytes: Array(rest.prefix(Int(count)))))
            rest = rest.dropFirst(Int(count))
        }
        return entries
    }

    private static func readLEB128(from bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        return nil
    }
}
