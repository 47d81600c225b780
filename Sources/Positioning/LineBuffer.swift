import Glibc

/// Cuts a stream of bytes into lines, in bounded memory: a line beyond the limit is skipped up to its end, and counted.
///
/// The work is linear in the bytes, however they are divided into reads and lines: a byte is searched once and moved at most twice.
/// Take all lines by ``withNextLine(_:)`` before the next ``fill(_:)``.
package struct LineBuffer {
    /// gpsd's own limit of a report is 10,240 bytes (`GPS_JSON_RESPONSE_MAX`); this leaves room.
    package static let maximumLineBytes = 65_536
    /// The begun line is moved to the front only where less room than this is behind it.
    private static let minimumRoom = maximumLineBytes / 2

    private var storage: [UInt8]
    private var start = 0
    private var end = 0
    /// Up to here there is no newline, seen from `start`.
    private var searched = 0
    private var isSkippingLine = false
    /// How many lines were skipped because they were too long.
    package private(set) var overlongLines = 0
    /// How many bytes were moved within the buffer: the measure of its own work.
    private(set) var movedBytes = 0

    /// An empty buffer.
    package init() {
        storage = [UInt8](repeating: 0, count: 2 * Self.maximumLineBytes)
    }

    /// Lets `read` write behind what is there.
    /// - Returns: What `read` returned: the number of bytes it wrote, 0 at the end, −1 on an error.
    package mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        makeRoom()
        let used = end
        let count = storage.withUnsafeMutableBytes { read(UnsafeMutableRawBufferPointer(rebasing: $0[used...])) }
        if count > 0 { end += count }
        return count
    }

    /// Hands over the next whole line without its end, or returns nil where there is none yet.
    package mutating func withNextLine<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        while let newline = nextNewline() {
            let line = start..<newline
            start = newline + 1
            searched = start
            if isSkippingLine {
                isSkippingLine = false
            } else if line.count > Self.maximumLineBytes {
                overlongLines += 1
            } else {
                return withLine(line, body)
            }
        }
        return nil
    }

    /// Hands over what follows the last newline, at a file's end; nil where that is nothing.
    package mutating func withRemainder<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        let line = start..<end
        start = end
        searched = end
        guard !isSkippingLine, !line.isEmpty else { return nil }
        return withLine(line, body)
    }

    private func withLine<Result>(_ line: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        storage.withUnsafeBufferPointer { bytes in
            let hasReturn = line.upperBound > line.lowerBound && bytes[line.upperBound - 1] == UInt8(ascii: "\r")
            let content = line.lowerBound..<(hasReturn ? line.upperBound - 1 : line.upperBound)
            return body(UnsafeBufferPointer(rebasing: bytes[content]))
        }
    }

    private mutating func nextNewline() -> Int? {
        let (from, to) = (searched, end)
        let found = storage.withUnsafeBytes { bytes -> Int? in
            guard from < to, let base = bytes.baseAddress,
                let place = memchr(base + from, Int32(UInt8(ascii: "\n")), to - from)
            else { return nil }
            return base.distance(to: place)
        }
        if found == nil { searched = end }
        return found
    }

    /// Makes room behind the begun line; gives the line up where it is too long already.
    private mutating func makeRoom() {
        if end - start > Self.maximumLineBytes {
            if !isSkippingLine { overlongLines += 1 }
            isSkippingLine = true
        }
        if isSkippingLine { start = end }
        let count = end - start
        if count > 0 {
            guard storage.count - end < Self.minimumRoom else { return }
            let from = start
            storage.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                memmove(base, base + from, count)
            }
            movedBytes += count
        }
        start = 0
        end = count
        searched = count
    }
}
