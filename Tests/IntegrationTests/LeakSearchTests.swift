import OdographHarness
import Testing

@Suite("The leak search")
struct LeakSearchTests {
    private static let place = LeakSearch.Place(latitude: 47.612_345_6, longitude: -121.512_345_6)

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func varint(_ number: Int64) -> [UInt8] {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        var bytes: [UInt8] = []
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static let spellings: [(encoding: String, bytes: [UInt8])] = [
        ("decimal text", Array("\"lat\":47.6123456".utf8)), ("decimal text", Array("47.612346".utf8)),
        ("decimal text", Array("121,512345".utf8)), ("short decimal text", Array("47.61235, -121.51235".utf8)),
        ("short decimal text", Array("[-121.51234,47.61234]".utf8)),
        ("text of degrees and minutes", Array("4736.7407,N".utf8)),
        ("double", bytes((47.612_345_6).bitPattern)), ("double", bytes((47.612_345_6).bitPattern.byteSwapped)),
        ("double of few decimals", bytes((-121.51235).bitPattern)),
        ("double of radians", bytes((47.612_345_6 * Double.pi / 180).bitPattern)),
        ("float", bytes(Float(47.612_345_6).bitPattern) + [0, 0] + bytes(Float(-121.512_345_6).bitPattern)),
        ("scaled integer", bytes(Int32(476_123_456)) + bytes(Int32(-1_215_123_456))),
        ("scaled integer", bytes(Int64(-1_215_123_456)) + bytes(Int64(476_123_456))),
        ("scaled integer", bytes(Int32(4_761_235).byteSwapped) + [7] + bytes(Int32(-12_151_235).byteSwapped)),
        ("scaled integer", bytes(Int64(47_612_345_600)) + bytes(Int64(-121_512_345_600))),
        ("variable-length integer", [7] + varint(476_123_456) + [7] + varint(-1_215_123_456)),
        ("variable-length integer", varint(47_612_346) + varint(-121_512_346)),
        ("bytes as a list of numbers", Array(varint(476_123_456).map { String($0) }.joined(separator: ",").utf8)),
        ("bytes in hexadecimal", Array(String((47.612_345_6).bitPattern, radix: 16).utf8)),
    ]

    @Test("Every encoding is found at any offset", arguments: spellings)
    func found(encoding: String, bytes: [UInt8]) {
        for before in [0, 1, 3, 1000] {
            let content = [UInt8](repeating: 0x41, count: before) + bytes + [UInt8](repeating: 0x42, count: 30)
            #expect(LeakSearch([Self.place]).finds(in: content).map(\.encoding).contains(encoding))
        }
    }

    @Test("Nothing is found in noise, in nearby places and in one axis of a short encoding")
    func notFound() {
        var random = SplitMix64(seed: 1)
        let noise = (0..<250_000).flatMap { _ in Self.bytes(random.next()) }
        let many = (0..<200).map {
            LeakSearch.Place(latitude: 47.6 + Double($0) * 1.37e-5, longitude: 121.5 + Double($0) * 2.1e-5)
        }
        #expect(LeakSearch(many).finds(in: noise).isEmpty)
        let other =
            Array("47.61244, -121.51244; 47.61235".utf8) + Self.bytes((47.612_444_4).bitPattern)
            + Self.varint(476_123_456)
        #expect(LeakSearch([Self.place]).finds(in: other).isEmpty)
    }
}
