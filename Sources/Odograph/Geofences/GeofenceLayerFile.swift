import Glibc

/// The file of a layer: 8 bytes of magic number and version, UInt64 length of the attributes, UInt64 length of the
/// index, little-endian; then attributes and index.
package enum GeofenceLayerFile {
    private static let magic: UInt64 = 0x3130_4C49_4645_4647  // "GFEFIL01"
    private static let headerBytes = 24

    package static func header(_ parts: (attributes: [UInt8], index: [UInt8])) -> [UInt8] {
        [magic, UInt64(parts.attributes.count), UInt64(parts.index.count)].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
    }

    package static func read(_ path: String) throws(FileFault) -> (attributes: [UInt8], index: [UInt8]) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFault(path, "cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, let head = bytes(descriptor, headerBytes) else {
            throw FileFault(path, "not a file of geofences")
        }
        let words = stride(from: 0, to: headerBytes, by: 8).map { start in
            head[start..<start + 8].reversed().reduce(UInt64(0)) { word, byte in word << 8 | UInt64(byte) }
        }
        let rest = UInt64(max(0, Int(information.st_size) - headerBytes))
        guard words[0] == magic, words[1] <= rest, words[2] == rest - words[1],
            let attributes = bytes(descriptor, Int(words[1])), let index = bytes(descriptor, Int(words[2]))
        else { throw FileFault(path, "not a file of geofences, or truncated") }
        return (attributes, index)
    }

    private static func bytes(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + initialized }, count - initialized)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                initialized += got
            }
            isWhole = initialized == count
        }
        return isWhole ? bytes : nil
    }
}
