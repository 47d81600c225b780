/// The encoded journal entries: for each ordinal and length as LEB128 (DWARF 5, section 7.6), and the bytes.
///
/// Entries need an ordinal, because they move to the newest row or the `journal` table when their row is deleted.
struct CommitJournal {
    /// The journal of one commit.
    struct Entry: Hashable {
        /// The number of this commit among the commits with a journal.
        var ordinal: Int64
        var bytes: [UInt8]
    }

    /// The encoded entries.
    private(set) var encoded: [UInt8] = []

    var isEmpty: Bool { encoded.isEmpty }

    mutating func append(_ entry: Entry) {
        encoded.reserveCapacity(encoded.count + entry.bytes.count + 12)
        appendLEB128(UInt64(bitPattern: entry.ordinal))
        appendLEB128(UInt64(entry.bytes.count))
        encoded += entry.bytes
    }

    /// Appends entries that are already encoded.
    mutating func append(encoded other: [UInt8]) { encoded += other }

    private mutating func appendLEB128(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            encoded.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        encoded.append(UInt8(rest))
    }

    /// Returns the entries in encoded bytes, up to the first that is invalid or zero.
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
