import Glibc

/// Reads whole files, for tests.
public enum FileContents {
    /// Returns the bytes of a file.
    /// - Throws: ``HarnessError`` if the file cannot be opened.
    public static func bytes(_ path: String) throws -> [UInt8] {
        guard let stream = fopen(path, "re") else { throw HarnessError.system(path) }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    /// Returns a file as text.
    /// - Throws: As ``bytes(_:)``.
    public static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    /// Returns the lines of a file that are not empty, without their line ends.
    /// - Throws: As ``bytes(_:)``.
    public static func lines(_ path: String) throws -> [[UInt8]] {
        try bytes(path).split(separator: UInt8(ascii: "\n")).map(Array.init)
    }
}
