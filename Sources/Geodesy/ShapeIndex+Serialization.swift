/// A reason why bytes are not a valid index.
public enum ShapeIndexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes do not begin with the magic number of this version.
    case notAnIndex
    /// The length differs from the length in the header.
    case wrongLength(expected: Int, found: Int)
    /// Bytes were changed since they were written.
    case wrongChecksum
    /// A shape is not valid.
    case badShape(slot: Int)

    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .notAnIndex: "not a fence index of this version: write it anew from its definitions"
        case .wrongLength(let expected, let found):
            "a fence index of \(found) bytes that should have \(expected): it was cut or added to; write it anew"
        case .wrongChecksum: "a fence index whose checksum does not match: it was changed or damaged; write it anew"
        case .badShape(let slot): "a fence index whose shape \(slot) is damaged: write it anew"
        }
    }
}

/// The serialized index, little-endian: 8 bytes of magic and version; UInt32 number of slots; UInt32 length of all
/// shapes in units of 8 bytes; UInt64 checksum of the rest. Then, for each slot, a UInt32 offset of its shape in units
/// of 8 bytes, or all ones if it is empty; zeros up to a multiple of 8; the shapes.
///
/// The grid is not stored, because building it costs less than validating it.
extension ShapeIndex {
    private static let magic: UInt64 = 0x3130_5845_444E_4946  // "FINDEX01"
    private static let headerBytes = 24

    /// Returns the serialized index. Slots do not change.
    public func serialized() -> [UInt8] {
        var copy = self
        copy.compact()
        var body = ContiguousArray<UInt8>()
        body.reserveCapacity(copy.offsets.count * 4 + 8 + copy.bytes.count)
        for offset in copy.offsets { body.append(offset) }
        while !body.count.isMultiple(of: 8) { body.append(UInt8(0)) }
        body.append(contentsOf: copy.bytes)
        var head = ContiguousArray<UInt8>()
        head.append(Self.magic)
        head.append(UInt32(copy.offsets.count))
        head.append(UInt32(copy.bytes.count / 8))
        head.append(Self.checksum(body.span.bytes, from: 0))
        return [UInt8](head) + body
    }

    /// Reads the result of ``serialized()``. Any input is safe: no accepted input causes a read past the end.
    /// - Throws: ``ShapeIndexError`` if the bytes are not a valid index.
    public init(serialized data: [UInt8]) throws(ShapeIndexError) {
        let memory = data.span.bytes
        guard data.count >= Self.headerBytes, memory.word(0) == Self.magic else { throw .notAnIndex }
        let slots = Int(UInt32(truncatingIfNeeded: memory.word(8)))
        let shapes = Int(UInt32(truncatingIfNeeded: memory.word(8) >> 32)) * 8
        let shapesStart = Self.headerBytes + (slots * 4 + 7) & ~7
        guard data.count == shapesStart + shapes else {
            throw .wrongLength(expected: shapesStart + shapes, found: data.count)
        }
        guard memory.word(16) == Self.checksum(memory, from: Self.headerBytes) else { throw .wrongChecksum }
        let bytes = ContiguousArray(data[shapesStart...])
        var offsets = ContiguousArray<UInt32>()
        offsets.reserveCapacity(slots)
        var expected = 0
        for slot in 0..<slots {
            let offset = UInt32(
                littleEndian: memory.unsafeLoadUnaligned(fromByteOffset: Self.headerBytes + slot * 4, as: UInt32.self))
            offsets.append(offset)
            if offset == Self.vacant { continue }
            // Shapes are in the order of slots and without gaps, so they cannot overlap.
            guard Int(offset) * 8 == expected, let end = ShapeValidator.end(bytes.span.bytes, at: expected) else {
                throw .badShape(slot: slot)
            }
            expected = end
        }
        guard expected == shapes else { throw .wrongLength(expected: shapesStart + expected, found: data.count) }
        self.init(offsets: offsets, bytes: bytes)
    }

    /// Returns FNV-1a over words instead of bytes. The high half is folded in so that all bits count.
    private static func checksum(_ bytes: RawSpan, from start: Int) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var offset = start
        while offset + 8 <= bytes.byteCount {
            hash = (hash ^ bytes.word(offset)) &* 0x0000_0100_0000_01B3
            hash ^= hash >> 32
            offset += 8
        }
        return hash
    }
}

/// Validates encoded shapes, so that later readers need not check them.
enum ShapeValidator {
    /// Returns the end of a shape; nil if it is not valid.
    static func end(_ bytes: RawSpan, at offset: Int) -> Int? {
        guard offset + ShapeHeader.byteCount <= bytes.byteCount,
            ShapeHeader.Kind(rawValue: UInt8(truncatingIfNeeded: bytes.word(offset))) != nil
        else { return nil }
        let header = ShapeHeader(bytes, at: offset)
        let end = offset + header.wordCount * 8
        guard end <= bytes.byteCount, (-180...180).contains(header.longitude), (-90...90).contains(header.latitude)
        else { return nil }
        switch header.kind {
        case .circle:
            guard end == offset + ShapeHeader.byteCount, isDistance(header.meters) else { return nil }
            let isFinite = [32, 36, 40].allSatisfy { bytes.float(offset + $0).isFinite }
            return isFinite ? end : nil
        case .polygon:
            return header.meters == 0 && ringsEnd(bytes, offset, header, end) == end ? end : nil
        case .corridor:
            let isOne = header.ringCount == 1 && isDistance(header.meters)
            return isOne && ringsEnd(bytes, offset, header, end) == end ? end : nil
        }
    }

    private static func isDistance(_ meters: Double) -> Bool { meters > 0 && meters <= ShapeError.maximumMeters }

    /// Returns the end of the last ring; nil if a ring is not valid or exceeds the end.
    private static func ringsEnd(_ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, _ end: Int) -> Int? {
        // The range of the encoder: from a shape of 10⁻⁶ ° to one of twice the globe.
        guard header.bits == 24 || header.bits == 48, (-68...(-15)).contains(header.exponent), header.ringCount > 0,
            header.width * header.quantum <= 1440, header.latitude + header.height * header.quantum <= 90.001
        else { return nil }
        var ringOffset = offset + ShapeHeader.byteCount
        for _ in 0..<header.ringCount {
            guard ringOffset + 8 <= end else { return nil }
            let word = bytes.word(ringOffset)
            let shift = Int((word >> 32) & 0xFF)
            guard (5...15).contains(shift) else { return nil }
            let ring = RingHeader(bytes, at: ringOffset, stride: header.stride)
            guard ring.edgeCount > 0, ring.end <= end else { return nil }
            ringOffset = ring.end
        }
        return ringOffset
    }
}
