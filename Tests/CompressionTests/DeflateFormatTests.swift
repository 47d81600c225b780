import OdographCompression
import OdographHarness
import Testing

@Suite("Deflate")
struct DeflateFormatTests {
    private static let formats = [
        DeflateFormat.zlib, .raw(windowBits: 12, memoryLevel: 4, dictionary: Array("{\"device_id\":\"".utf8)),
        .raw(windowBits: 15, memoryLevel: 9, dictionary: []),
    ]

    @Test("Each payload comes back", arguments: 0..<3)
    func roundTrip(format: Int) throws {
        let format = Self.formats[format]
        var random = SplitMix64(seed: 7)
        for length in [0, 1, 2, 100, 5000, 100_000] {
            let payload = (0..<length).map { _ in
                UInt8.random(in: 0...(length.isMultiple(of: 2) ? 3 : 255), using: &random)
            }
            let bytes = try #require(format.compressed(payload))
            #expect(bytes.withUnsafeBytes { format.expanded($0, maximumBytes: length) } == payload)
            if length > 0 { #expect(bytes.withUnsafeBytes { format.expanded($0, maximumBytes: length - 1) } == nil) }
        }
    }

    @Test("Damaged, shortened and lengthened bytes give nil or another payload, within the limit")
    func damage() throws {
        var random = SplitMix64(seed: 8)
        let payload = (0..<3000).map { _ in UInt8.random(in: 0...9, using: &random) }
        let good = try #require(DeflateFormat.zlib.compressed(payload))
        for cut in 0..<good.count {
            #expect(good.prefix(cut).withUnsafeBytes { DeflateFormat.zlib.expanded($0, maximumBytes: 5000) } == nil)
        }
        #expect((good + [0]).withUnsafeBytes { DeflateFormat.zlib.expanded($0, maximumBytes: 5000) } == nil)
        for _ in 0..<500 {
            var bytes = good
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            // The checksum of the frame finds each change of one bit.
            #expect(bytes.withUnsafeBytes { DeflateFormat.zlib.expanded($0, maximumBytes: 5000) } == nil)
        }
    }

    @Test("A megabyte of zeros does not expand beyond the limit")
    func bomb() throws {
        let bytes = try #require(DeflateFormat.zlib.compressed([UInt8](repeating: 0, count: 1 << 20)))
        #expect(bytes.count < 2000)
        #expect(bytes.withUnsafeBytes { DeflateFormat.zlib.expanded($0, maximumBytes: 1 << 16) } == nil)
        #expect(bytes.withUnsafeBytes { DeflateFormat.zlib.expanded($0, maximumBytes: 1 << 20) }?.count == 1 << 20)
    }
}
