import OdographGeodesy

/// A hash of bytes, a word at a time, that is the same in every run and on every machine.
struct ContentHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// A word after all before it.
    @inline(__always)
    mutating func combine(_ word: UInt64) { value = splitMix64(value ^ word) }

    /// Bytes, and how many they are.
    mutating func combine(_ bytes: RawSpan, _ range: Range<Int>) {
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            combine(UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place += 8
        }
        var rest = UInt64(range.count) << 56
        for offset in place..<range.upperBound {
            rest |=
                UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self))
                << UInt64(8 * (offset - place))
        }
        combine(rest)
    }
}
