import OdographSQLite

/// The FNV-1a hash with 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). Each step is a bijection, so a single
/// changed byte always changes the 64-bit value.
struct Checksum {
    private static let prime: UInt64 = 0x100_0000_01B3

    /// The checksum of all bytes so far.
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Adds bytes.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var sum = value
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* Self.prime }
        value = sum
    }

    /// Adds bytes.
    mutating func add(_ bytes: some Sequence<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ add(UnsafeRawBufferPointer($0)) }) != nil { return }
        for byte in bytes { value = (value ^ UInt64(byte)) &* Self.prime }
    }
}

// The checksum of a row: SQLite verifies the structure of a page but not the content of its rows.
extension Checksum {
    /// The byte before each column's value, so that two different rows never have the same bytes.
    private enum TypeTag {
        static let null: UInt8 = 0
        static let integer: UInt8 = 1
        static let text: UInt8 = 2
        static let blob: UInt8 = 3
        static let real: UInt8 = 4
    }

    /// Creates the checksum of a row's values, in the order of its columns.
    init(of values: [SQLiteValue]) {
        for value in values {
            switch value {
            case .null: addNull()
            case .integer(let number): add(number)
            case .real(let number): add(number)
            case .text(let text): add(text: text.utf8)
            case .blob(let bytes): bytes.withUnsafeBytes { add(blob: $0) }
            }
        }
    }

    /// Adds NULL.
    mutating func addNull() { add(CollectionOfOne(TypeTag.null)) }

    /// Adds a number.
    mutating func add(_ number: Int64) {
        add(CollectionOfOne(TypeTag.integer))
        withUnsafeBytes(of: number.littleEndian) { add($0) }
    }

    /// Adds a floating-point number.
    mutating func add(_ number: Double) {
        add(CollectionOfOne(TypeTag.real))
        withUnsafeBytes(of: number.bitPattern.littleEndian) { add($0) }
    }

    /// Adds a text's UTF-8 bytes.
    mutating func add(text: some Collection<UInt8>) {
        add(CollectionOfOne(TypeTag.text))
        withUnsafeBytes(of: Int64(text.count).littleEndian) { add($0) }
        add(text)
    }

    /// Adds a blob.
    mutating func add(blob: UnsafeRawBufferPointer) {
        add(CollectionOfOne(TypeTag.blob))
        withUnsafeBytes(of: Int64(blob.count).littleEndian) { add($0) }
        add(blob)
    }

    /// The four bytes that are stored: both halves combined by XOR, as FNV's authors recommend. Always four, so that a
    /// row keeps its length when it is overwritten in place.
    var storedBytes: [UInt8] {
        let folded = UInt32(truncatingIfNeeded: value ^ value >> 32)
        return withUnsafeBytes(of: folded.littleEndian) { Array($0) }
    }
}
