import Glibc

/// Splits a stream of bytes into lines in bounded memory. Lines that are too long are skipped and counted.
///
/// The work is linear in the number of bytes, for all sizes of reads and lines: each byte is searched once and moved at
/// most twice. Take all lines with ``withNextLine(_:)`` before the next ``fill(_:)``.
package struct LineBuffer {
    /// The longest line, bytes. gpsd's own limit of a report is 10,240 bytes (`GPS_JSON_RESPONSE_MAX`).
    package static let maximumLineBytes = 65_536
    /// The free space below which the incomplete line is moved to the front.
    private static let minimumRoom = maximumLineBytes / 2

    private var storage: [UInt8]
    private var start = 0
    private var end = 0
    /// The index up to which there is no newline after `start`.
    private var searched = 0
    private var isSkippingLine = false
    /// The number of skipped lines.
    package private(set) var overlongLines = 0
    /// The number of bytes moved within the buffer, for tests of the cost.
    private(set) var movedBytes = 0

    /// Creates an empty buffer.
    package init() {
        storage = [UInt8](repeating: 0, count: 2 * Self.maximumLineBytes)
    }

    /// Appends data that `read` writes.
    /// - Returns: The result of `read`: the number of bytes written, 0 at the end, −1 on an error.
    package mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        makeRoom()
        let used = end
        let count = storage.withUnsafeMutableBytes { read(UnsafeMutableRawBufferPointer(rebasing: $0[used...])) }
        if count > 0 { end += count }
        return count
    }

    /// Calls `body` with the next complete line without its line break; returns nil if there is none.
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

    /// Calls `body` with the data after the last newline, at the end of a file; returns nil if there is none.
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

    /// Makes room after the incomplete line. Skips the line if it is already too long.
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
