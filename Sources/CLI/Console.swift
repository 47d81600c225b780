import Glibc
import Odograph

/// The terminal, or what stands in its place.
enum Console {
    /// Whether a person looks at what is printed.
    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether a person looks at the messages.
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether output may be coloured, see no-color.org.
    static var isOutputColored: Bool { isOutputTerminal && mayColor }
    /// Whether messages may be coloured.
    static var isErrorColored: Bool { isErrorTerminal && mayColor }

    private static var mayColor: Bool {
        if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
        return getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? true
    }

    /// Prints a result.
    /// - Throws: `Failure` where it cannot be written.
    static func print(_ text: String) throws(Failure) {
        try write(Array(text.utf8)[...])
    }

    /// Prints a message beside the result. There is nowhere to say that it cannot be written.
    static func note(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    static func write(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Failure(.inputOutput, "the output cannot be written: \(String(cString: strerror(errno)))")
            }
        }
    }
}

/// Output in large pieces.
struct OutputBuffer: ~Copyable {
    private static let capacity = 65_536
    private var pending: [UInt8] = []

    mutating func append(_ bytes: [UInt8]) throws(Failure) {
        pending += bytes
        if pending.count >= Self.capacity { try flush() }
    }

    mutating func flush() throws(Failure) {
        try Console.write(pending[...])
        pending.removeAll(keepingCapacity: true)
    }
}
