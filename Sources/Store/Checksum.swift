/// FNV-1a with 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). Each step is a bijection of what came before it,
/// so that no single changed byte goes unnoticed.
struct Checksum {
    private static let prime: UInt64 = 0x100_0000_01B3

    /// The sum of all bytes so far.
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

// What is stored with a row, since SQLite verifies the structure of a page and not the content of its rows.
extension Checksum {
    /// What precedes the bytes of a column's value, so that no two different rows have the same bytes.
    private enum TypeTag {
        static let null: UInt8 = 0
        static let integer: UInt8 = 1
        static let text: UInt8 = 2
        static let blob: UInt8 = 3
    }

    /// The sum of a row's values, in the order of its columns.
    init(of values: [SQLiteValue]) {
        for value in values {
            switch value {
            case .null: addNull()
            case .integer(let number): add(number)
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

    /// Adds a text's UTF-8 bytes.
    mutating func add(text: some Collection<UInt8>) {
        add(CollectionOfOne(TypeTag.text))
        withUnsafeBytes(of: Int64(text.count).littleEndian) { add($0) }
        add(text)
    }

    /// Adds bytes that are a value of their own.
    mutating func add(blob: UnsafeRawBufferPointer) {
        add(CollectionOfOne(TypeTag.blob))
        withUnsafeBytes(of: Int64(blob.count).littleEndian) { add($0) }
        add(blob)
    }

    /// The four bytes that are stored: both halves in one, as the authors of FNV recommend it. Always four, so that a
    /// row that is written over in place keeps its length.
    var storedBytes: [UInt8] {
        let folded = UInt32(truncatingIfNeeded: value ^ value >> 32)
        return withUnsafeBytes(of: folded.littleEndian) { Array($0) }
    }
}
