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

    package static func read(_ path: String) throws(GeofenceArchive.Fault) -> (attributes: [UInt8], index: [UInt8]) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fault(path, "cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, let head = bytes(descriptor, headerBytes) else {
            throw fault(path, "not a file of geofences")
        }
        let words = stride(from: 0, to: headerBytes, by: 8).map { start in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(head[start + $1]) << UInt64(8 * $1) }
        }
        let rest = UInt64(max(0, Int(information.st_size) - headerBytes))
        guard words[0] == magic, words[1] <= rest, words[2] == rest - words[1],
            let attributes = bytes(descriptor, Int(words[1])), let index = bytes(descriptor, Int(words[2]))
        else { throw fault(path, "not a file of geofences, or truncated") }
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

    /// Writes a file atomically: after a power cut it is complete, or absent, or the old one.
    package static func writeAtomically(_ parts: [[UInt8]], to path: String) throws(GeofenceArchive.Fault) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fault(temporary, "cannot be created: \(String(cString: strerror(errno)))") }
        var isDone = true
        for part in parts where isDone { isDone = write(part, descriptor) }
        isDone = isDone && fsync(descriptor) == 0
        var code = errno
        close(descriptor)
        if isDone, rename(temporary, path) != 0 { (isDone, code) = (false, errno) }
        guard isDone else {
            unlink(temporary)
            throw fault(path, "cannot be written: \(String(cString: strerror(code)))")
        }
        synchronize(folderOf: path)
    }

    private static func write(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        var place = 0
        while place < bytes.count {
            let count = bytes[place...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            place += count
        }
        return true
    }

    private static func synchronize(folderOf path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func fault(_ path: String, _ words: String) -> GeofenceArchive.Fault {
        GeofenceArchive.Fault(description: "\(path): \(words)")
    }
}
