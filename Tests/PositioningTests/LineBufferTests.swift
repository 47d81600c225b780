import Testing

@testable import OdographPositioning

@Suite("Lines from a byte stream")
struct LineBufferTests {
    /// Returns the lines of bytes that come in pieces, and the buffer.
    private func cut(_ bytes: [UInt8], pieces size: Int) -> (lines: [[UInt8]], buffer: LineBuffer) {
        var buffer = LineBuffer()
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = buffer.fill { space in
                let count = min(space.count, rest.count, size)
                space.copyBytes(from: rest.prefix(count))
                return count
            }
            rest = rest.dropFirst(count)
            while let line = buffer.withNextLine({ Array($0) }) { lines.append(line) }
        }
        return (lines, buffer)
    }

    @Test("Pieces of any size give the same lines", arguments: [1, 2, 7, 1000, 40_000, 1 << 20])
    func pieces(size: Int) {
        let lengths = [0, 1, 5, 65_536, 3, 65_535, 0, 0, 40_000, 65_537, 12, 200_000, 9]
        let bytes = lengths.flatMap { [UInt8](repeating: UInt8(ascii: "x"), count: $0) + [UInt8(ascii: "\n")] }
        let (lines, buffer) = cut(bytes, pieces: size)
        #expect(lines.map(\.count) == lengths.filter { $0 <= LineBuffer.maximumLineBytes })
        #expect(buffer.overlongLines == 2)
    }

    @Test(
        "No byte is moved more than twice, for any lines and pieces",
        arguments: [
            (1, 65_536), (1, 60_000), (3, 1), (1000, 50_000), (33_000, 40_000), (1 << 20, 0), (1 << 20, 65_000),
        ])
    func work(size: Int, length: Int) {
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: length) + [UInt8(ascii: "\n")]
        let bytes = Array(repeatElement(line, count: (1 << 19) / line.count + 1).joined())
        let (lines, buffer) = cut(bytes, pieces: size)
        #expect(lines.count == bytes.count / line.count)
        #expect(buffer.movedBytes <= 2 * bytes.count)
    }
}
