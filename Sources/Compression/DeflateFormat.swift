import COdographZlib

/// A format of compressed bytes: deflate (RFC 1951), with or without the frame of zlib (RFC 1950).
package struct DeflateFormat: Sendable {
    /// The smallest expanded size for which deflate needs one byte (zlib, "Technical Details": at most 1032 to 1).
    private static let largestRatio = 1032

    /// The base-2 logarithm of the window; negative for deflate without a frame.
    private let windowBits: Int32
    /// The memory level of the compressor's tables, from 1 to 9.
    private let memoryLevel: Int32
    /// The effort of the compressor, from 1 to 9; −1 for the library's default.
    private let level: Int32
    /// The text that precedes the payload in the window; empty for none.
    private let dictionary: [UInt8]

    /// Creates a format without a frame.
    /// - Parameters:
    ///   - windowBits: The base-2 logarithm of the window, from 9 to 15.
    ///   - memoryLevel: The memory level of the compressor's tables, from 1 to 9.
    ///   - dictionary: The text that precedes the payload in the window.
    package static func raw(windowBits: Int32, memoryLevel: Int32, dictionary: [UInt8]) -> DeflateFormat {
        DeflateFormat(
            windowBits: -windowBits, memoryLevel: memoryLevel, level: Z_DEFAULT_COMPRESSION, dictionary: dictionary)
    }

    /// The format with the frame of zlib, the largest window and no dictionary: browsers call it `deflate`.
    package static let zlib = DeflateFormat(
        windowBits: MAX_WBITS, memoryLevel: 9, level: Z_BEST_COMPRESSION, dictionary: [])

    private init(windowBits: Int32, memoryLevel: Int32, level: Int32, dictionary: [UInt8]) {
        self.windowBits = windowBits
        self.memoryLevel = memoryLevel
        self.level = level
        self.dictionary = dictionary
    }

    /// Returns a header and a payload behind it in this format; nil if memory is short.
    package func compressed(_ payload: [UInt8], header: [UInt8] = []) -> [UInt8]? {
        var stream = z_stream()
        guard zlib_deflate_init(&stream, level, windowBits, memoryLevel) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        if !dictionary.isEmpty { deflateSetDictionary(&stream, dictionary, uInt(dictionary.count)) }
        let bound = Int(deflateBound(&stream, uLong(payload.count)))
        var isComplete = false
        let bytes = [UInt8](unsafeUninitializedCapacity: header.count + bound) { bytes, count in
            for (index, byte) in header.enumerated() { bytes[index] = byte }
            isComplete = payload.withUnsafeBytes { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = bytes.baseAddress.map { $0 + header.count }
                stream.avail_out = uInt(bound)
                return deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            count = header.count + Int(stream.total_out)
        }
        return isComplete ? bytes : nil
    }

    /// Returns the payload of bytes in this format; nil if they are damaged or incomplete, if other bytes follow, if
    /// the payload is longer than a limit, or if memory is short.
    /// - Parameter maximumBytes: The limit, which also bounds the memory.
    package func expanded(_ bytes: UnsafeRawBufferPointer, maximumBytes: Int) -> [UInt8]? {
        var stream = z_stream()
        guard zlib_inflate_init(&stream, windowBits) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        if !dictionary.isEmpty { inflateSetDictionary(&stream, dictionary, uInt(dictionary.count)) }
        // One byte more than the payload: zlib needs room to reach the end mark of an empty payload.
        let capacity = min(maximumBytes, bytes.count * Self.largestRatio) + 1
        var isComplete = false
        let payload = [UInt8](unsafeUninitializedCapacity: capacity) { payload, count in
            stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = uInt(bytes.count)
            stream.next_out = payload.baseAddress
            stream.avail_out = uInt(capacity)
            isComplete =
                inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0 && stream.total_out <= maximumBytes
            count = isComplete ? Int(stream.total_out) : 0
        }
        return isComplete ? payload : nil
    }
}
