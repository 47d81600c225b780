/// The head of an encoded shape.
///
/// A shape is encoded as bytes, a multiple of 8 of them, little-endian, so that a hundred thousand lie in one piece of
/// memory and are read where they lie:
///
///     0  UInt8   kind: 0 circle, 1 polygon, 2 corridor
///     1  UInt8   bits a vertex's x and y have, 24 or 48
///     2  Int16   the vertices' quantum is 2 to the power of this, degrees
///     4  UInt32  bytes of the whole, in eights
///     8  Double  longitude of the origin, −180 up to 180: a circle's centre, else the south-west corner
///    16  Double  latitude of the origin
///    24  Double  metres: radius or half width; 0 of a polygon
///    32  circle: three Floats: metres a degree east and north at the centre, and how the first changes by degree of latitude
///    32  else:   UInt32 width and height, in coarse quanta, rounded up; UInt32 number of rings; 4 spare; then the rings (``RingHeader``)
///
/// Vertices are whole quanta from the origin. The quantum is the shape's extent over 2²⁴ where that is at most 2 × 10⁻⁹ °, which
/// it is up to 3 km, else over 2⁴⁸. So a vertex is kept to a tenth of a millimetre. A coarse quantum is a quantum of 24
/// bits, and 2¹⁶ quanta of 48.
struct ShapeHeader {
    enum Kind: UInt8 {
        case circle = 0
        case polygon = 1
        case corridor = 2
    }

    static let byteCount = 48
    /// How far from an edge a point still counts as on it, degrees, besides one quantum: 0.1 mm.
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
    /// Degrees a quantum.
    var quantum: Double { Self.powerOfTwo(exponent) }
    /// Bytes a vertex.
    var stride: Int { bits / 4 }
    /// How far from an edge a point still counts as on it, quanta.
    var tolerance: Double { Self.edgeToleranceDegrees * Self.powerOfTwo(-exponent) + 1 }

    /// Quanta a coarse one.
    @inline(__always)
    static func coarseQuanta(bits: Int) -> Double { bits == 48 ? 65_536 : 1 }

    @inline(__always)
    static func powerOfTwo(_ exponent: Int) -> Double {
        Double(sign: .plus, exponentBitPattern: UInt(truncatingIfNeeded: 1023 + exponent), significandBitPattern: 0)
    }

    /// Reads the head of a shape that has been validated or made here.
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

    /// The x, in quanta, of a longitude; of the whole turns that fit the one that falls in the shape, or nearest east of it.
    @inline(__always)
    func x(ofLongitude longitudeDegrees: Double) -> Double {
        var degrees = longitudeDegrees - longitude
        if degrees < 0 { degrees += 360 }
        let turn = 360 * Self.powerOfTwo(-exponent)
        let x = degrees * Self.powerOfTwo(-exponent)
        return x >= turn - tolerance ? x - turn : x
    }

    /// The y, in quanta, of a latitude.
    @inline(__always)
    func y(ofLatitude latitudeDegrees: Double) -> Double {
        (latitudeDegrees - latitude) * Self.powerOfTwo(-exponent)
    }
}

/// The head of a ring (or line) in an encoded shape, 8 bytes: the number of its edges; how many edges a chunk has, as a
/// power of two; whether it begins a polygon. Then, if there are more edges than a chunk has, for each chunk its box (least x and
/// y, greatest x and y, UInt32, in coarse quanta, rounded outward); then the vertices, one more than edges, x and then y; then zeros up to a
/// multiple of 8, at least 5, so that eight bytes can be read at any of them.
struct RingHeader {
    /// Rings of no more edges than this have one chunk and no boxes.
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

    /// About the root of the number of edges, so that the boxes and one chunk cost the same.
    static func chunkShift(edgeCount: Int) -> Int {
        var shift = minimumChunkEdges.trailingZeroBitCount
        while shift < 15, 1 << (2 * shift) < edgeCount { shift += 1 }
        return shift
    }
}

extension RawSpan {
    /// Eight bytes, bounds checked.
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

    /// A vertex of an encoded ring, in quanta.
    @inline(__always)
    func vertex(_ vertices: Int, _ index: Int, bits: Int) -> (x: Double, y: Double) {
        let place = vertices &+ index &* (bits &>> 2)
        let mask: UInt64 = (1 &<< UInt64(truncatingIfNeeded: bits)) &- 1
        return (
            Double(Int64(bitPattern: word(place) & mask)), Double(Int64(bitPattern: word(place &+ bits &>> 3) & mask))
        )
    }

    /// The box of a chunk, in quanta.
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
