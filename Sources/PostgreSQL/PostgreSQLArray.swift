/// An array of a parameter with one dimension, in PostgreSQL's binary format, which needs no escapes.
///
/// Source: `array_recv` in src/backend/utils/adt/arrayfuncs.c of PostgreSQL; the receiving functions of the types.
package struct PostgreSQLArray {
    /// The types of elements, with their object identifiers in every server.
    package enum Element: Int32 {
        case bigint = 20
        case text = 25
        case doublePrecision = 701
    }

    private let element: Element
    private var elements: [UInt8] = []
    private var count: Int32 = 0
    private var hasNull = false

    /// - Parameters:
    ///   - element: The type of the elements.
    ///   - count: The expected number of elements.
    package init(_ element: Element, count: Int) {
        self.element = element
        elements.reserveCapacity(count * 12)
    }

    /// Adds an element of the type ``Element/bigint``.
    package mutating func append(_ number: Int64) { append(UInt64(bitPattern: number)) }

    /// Adds an element of the type ``Element/doublePrecision``.
    package mutating func append(_ number: Double) { append(number.bitPattern) }

    /// Adds an element of the type ``Element/text``.
    package mutating func append(_ text: String) {
        elements.append(bigEndian: Int32(text.utf8.count))
        elements.append(contentsOf: text.utf8)
        count += 1
    }

    /// Adds NULL.
    package mutating func appendNull() {
        elements.append(bigEndian: -1 as Int32)
        count += 1
        hasNull = true
    }

    private mutating func append(_ bits: UInt64) {
        elements.append(bigEndian: 8 as Int32)
        elements.append(bigEndian: bits)
        count += 1
    }

    /// The size of the array, bytes.
    var byteCount: Int { 20 + elements.count }

    func write(to bytes: inout [UInt8]) {
        // Dimensions, whether there is NULL, type, length of the dimension, index of the first element.
        for number in [1, hasNull ? 1 : 0, element.rawValue, count, 1] { bytes.append(bigEndian: number) }
        bytes.append(contentsOf: elements)
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
