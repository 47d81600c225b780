/// A data frame of a CAN bus in the classic format (ISO 11898-1), with up to 8 bytes.
package struct CANFrame: Hashable, Sendable {
    /// The largest number of bytes.
    package static let maximumByteCount = 8
    /// The largest identifier of 11 bits.
    package static let maximumStandardIdentifier: UInt32 = 0x7FF
    /// The largest identifier of 29 bits.
    package static let maximumExtendedIdentifier: UInt32 = 0x1FFF_FFFF

    /// The identifier: 29 bits if ``isExtended``, otherwise 11.
    package let identifier: UInt32
    /// Whether the identifier has 29 bits.
    package let isExtended: Bool
    /// The number of bytes, 0 to 8.
    package let byteCount: Int
    /// The bytes; the first is the lowest one. It needs no allocation, because a bus carries thousands of frames a
    /// second.
    private let payload: UInt64

    /// Creates a frame; nil if it has more than 8 bytes or an identifier that is too large.
    package init?(identifier: UInt32, isExtended: Bool, bytes: some Collection<UInt8>) {
        let largest = isExtended ? Self.maximumExtendedIdentifier : Self.maximumStandardIdentifier
        guard identifier <= largest, bytes.count <= Self.maximumByteCount else { return nil }
        self.identifier = identifier
        self.isExtended = isExtended
        byteCount = bytes.count
        payload = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes.
    package var bytes: [UInt8] { (0..<byteCount).map { byte(at: $0) } }

    /// Returns the byte at an index below ``byteCount``.
    func byte(at index: Int) -> UInt8 { UInt8(truncatingIfNeeded: payload >> (8 * index)) }

    /// Returns 1 to 4 bytes from an index as a number, the lowest byte first; nil if the frame is too short.
    func littleEndian(at index: Int, count: Int) -> UInt32? {
        guard index >= 0, index + count <= byteCount else { return nil }
        return UInt32(truncatingIfNeeded: payload >> (8 * index)) & (UInt32.max >> (32 - 8 * count))
    }

    /// Returns 1 to 4 bytes from an index as a number, the highest byte first; nil if the frame is too short.
    func bigEndian(at index: Int, count: Int) -> UInt32? {
        littleEndian(at: index, count: count).map { $0.byteSwapped >> (32 - 8 * count) }
    }
}
