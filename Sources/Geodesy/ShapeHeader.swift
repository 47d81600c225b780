/// The header of an encoded shape.
///
/// The encoding is little-endian and its length is a multiple of 8 bytes. A hundred thousand shapes are contiguous in
/// one buffer and are read in place:
///
///     0  UInt8   kind: 0 circle, 1 polygon, 2 corridor
///     1  UInt8   bits of a vertex's x and of its y: 24 or 48
///     2  Int16   base-2 logarithm of the vertices' quantum in degrees
///     4  UInt32  length of the shape, in units of 8 bytes
///     8  Double  longitude of the origin, −180 up to 180: a circle's centre, otherwise the south-west corner
///    16  Double  latitude of the origin
///    24  Double  metres: radius or half width; 0 for a polygon
/// 32  circle: three Floats: metres per degree east and north at the centre; change of the first per degree of latitude
///    32  others: UInt32 width, UInt32 height, in coarse quanta, rounded up; UInt32 number of rings; 4 unused bytes;
///                then the rings (``RingHeader``)
///
/// Vertices are integers: quanta from the origin. The quantum is the extent, rounded up to a power of two, divided by
/// 2²⁴ if that is at most 2 × 10⁻⁹ ° (extents up to 3 km), otherwise by 2⁴⁸. So vertices are accurate to a tenth of a
/// millimetre. A coarse quantum is one quantum of 24 bits, or 2¹⁶ quanta of 48 bits.
struct ShapeHeader {
    enum Kind: UInt8 {
        case circle = 0
        case polygon = 1
        case corridor = 2
    }

    static let byteCount = 48
    /// The distance from an edge, in addition to one quantum, at which a point counts as on it, degrees: 0.1 mm.
    static let edgeToleranceDegrees = 1e-9

    var kind: Kind
    var bits: Int
    var exponent: Int
    var wordCount: Int
    var longitude: Double
    var latitude: Double
    var meters: Double
    var width = 0.0
    var height = 0.0
    var ringCount = 0
    /// Degrees per quantum.
    var quantum: Double { Self.powerOfTwo(exponent) }
    /// Bytes per vertex.
    var stride: Int { bits / 4 }
    /// The distance from an edge at which a point counts as on it, quanta.
    var tolerance: Double { Self.edgeToleranceDegrees * Self.powerOfTwo(-exponent) + 1 }

    /// Returns the number of quanta in a coarse quantum.
    @inline(__always)
    static func coarseQuanta(bits: Int) -> Double { bits == 48 ? 65_536 : 1 }

    @inline(__always)
    static func powerOfTwo(_ exponent: Int) -> Double {
        Double(sign: .plus, exponentBitPattern: UInt(truncatingIfNeeded: 1023 + exponent), significandBitPattern: 0)
    }

    /// Reads the header of a valid shape.
    @inline(__always)
    init(_ bytes: RawSpan, at offset: Int) {
        let first = bytes.word(offset)
        kind = Kind(rawValue: UInt8(truncatingIfNeeded: first)) ?? .circle
        bits = Int(truncatingIfNeeded: (first >> 8) & 0xFF)
        exponent = Int(Int16(truncatingIfNeeded: first >> 16))
        wordCount = Int(truncatingIfNeeded: first >> 32)
        longitude = bytes.double(offset + 8)
        latitude = bytes.double(offset + 16)
        meters = bytes.double(offset + 24)
        guard kind != .circle else { return }
        let size = bytes.word(offset + 32)
        width = Double(UInt32(truncatingIfNeeded: size)) * Self.coarseQuanta(bits: bits)
        height = Double(UInt32(truncatingIfNeeded: size >> 32)) * Self.coarseQuanta(bits: bits)
        ringCount = Int(UInt32(truncatingIfNeeded: bytes.word(offset + 40)))
    }

    /// Returns the x of a longitude, quanta, from just below 0 up to a full turn.
    @inline(__always)
    func x(ofLongitude longitudeDegrees: Double) -> Double {
        var degrees = longitudeDegrees - longitude
        if degrees < 0 { degrees += 360 }
        let turn = 360 * Self.powerOfTwo(-exponent)
        let x = degrees * Self.powerOfTwo(-exponent)
        return x >= turn - tolerance ? x - turn : x
    }

    /// Returns the y of a latitude, quanta.
    @inline(__always)
    func y(ofLatitude latitudeDegrees: Double) -> Double {
        (latitudeDegrees - latitude) * Self.powerOfTwo(-exponent)
    }
}

/// The header of a ring (or line) in an encoded shape, 8 bytes: the number of edges (4 bytes), the base-2 logarithm of
/// the edges per chunk (1), and whether the ring is an outer ring (1).
///
/// If there is more than one chunk, each chunk's box follows (least x and y, greatest x and y: UInt32, in coarse
/// quanta, rounded outward). Then the vertices follow, one more than edges, each x and then y. At least 5 zeros follow,
/// up to a multiple of 8, so that eight bytes can be read at any coordinate.
struct RingHeader {
    /// The edges of the smallest chunk. Rings with no more edges have one chunk and no boxes.
    static let minimumChunkEdges = 32

    let edgeCount: Int
    let chunkShift: Int
    let isOuter: Bool
    let boxes: Int
    let vertices: Int
    let end: Int

    @inline(__always)
    init(_ bytes: RawSpan, at offset: Int, stride: Int) {
        let word = bytes.word(offset)
        self.init(
            edgeCount: Int(UInt32(truncatingIfNeeded: word)), chunkShift: Int((word >> 32) & 0xFF),
            isOuter: (word >> 40) & 1 == 1, offset: offset, stride: stride)
    }

    @inline(__always)
    init(edgeCount: Int, chunkShift: Int, isOuter: Bool, offset: Int, stride: Int) {
        self.edgeCount = edgeCount
        self.chunkShift = chunkShift
        self.isOuter = isOuter
        boxes = offset + 8
        let chunks = edgeCount > 1 << chunkShift ? (edgeCount + (1 << chunkShift) - 1) >> chunkShift : 0
        vertices = boxes + chunks * 16
        end = (vertices + (edgeCount + 1) * stride + 5 + 7) & ~7
    }

    @inline(__always)
    var chunkCount: Int { (edgeCount + (1 << chunkShift) - 1) >> chunkShift }
    @inline(__always)
    var hasBoxes: Bool { vertices > boxes }

    /// Returns a chunk size near the square root of the number of edges, so that boxes and one chunk cost the same.
    static func chunkShift(edgeCount: Int) -> Int {
        var shift = minimumChunkEdges.trailingZeroBitCount
        while shift < 15, 1 << (2 * shift) < edgeCount { shift += 1 }
        return shift
    }
}

extension RawSpan {
    /// Returns eight bytes, with a bounds check.
    @inline(__always)
    func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    func double(_ offset: Int) -> Double { Double(bitPattern: word(offset)) }

    @inline(__always)
    func float(_ offset: Int) -> Float {
        Float(bitPattern: UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Returns a vertex of an encoded ring, in quanta.
    @inline(__always)
    func vertex(_ vertices: Int, _ index: Int, bits: Int) -> (x: Double, y: Double) {
        let place = vertices &+ index &* (bits &>> 2)
        let mask: UInt64 = (1 &<< UInt64(truncatingIfNeeded: bits)) &- 1
        return (
            Double(Int64(bitPattern: word(place) & mask)), Double(Int64(bitPattern: word(place &+ bits &>> 3) & mask))
        )
    }

    /// Returns the box of a chunk, in quanta.
    @inline(__always)
    func box(_ boxes: Int, _ chunk: Int, bits: Int) -> (minX: Double, minY: Double, maxX: Double, maxY: Double) {
        let low = word(boxes + chunk * 16)
        let high = word(boxes + chunk * 16 + 8)
        let scale = ShapeHeader.coarseQuanta(bits: bits)
        return (
            Double(UInt32(truncatingIfNeeded: low)) * scale, Double(UInt32(truncatingIfNeeded: low >> 32)) * scale,
            Double(UInt32(truncatingIfNeeded: high)) * scale, Double(UInt32(truncatingIfNeeded: high >> 32)) * scale
        )
    }
}
