import Glibc
import Tracking
import Wire

/// The geofences on the disk: a file a layer, and a manifest that says which of them are in force. A file is never changed: a new one
/// has another name, and the manifest, which is replaced in one step, goes over to it. So a power cut leaves the old set or the new.
struct GeofenceFiles: Sendable {
    /// What was in force at a time.
    struct Generation: Hashable, Sendable, Codable {
        /// `GeofenceSet.identity` of all of it.
        var identity: UInt64
        /// The layers that have fences, the weakest first.
        var layers: [Layer]
        /// What is to be reported.
        var facts: [GeofenceFacts]
    }

    /// A layer and its file.
    struct Layer: Hashable, Sendable, Codable {
        /// As in a topic: `all`, `group:vans`; `device` for the device's own.
        var level: String
        var isSingle: Bool
        /// The file's name in the folder.
        var file: String
    }

    private struct Manifest: Codable {
        var version = 1
        /// The newest first. The tracker's saved state may be of the one before.
        var generations: [Generation]
    }

    /// Why something cannot be read or written.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private static let manifestName = "manifest.json"
    private static let mostGenerations = 2
    /// A manifest has a few kilobytes, of which most are errors to be reported.
    private static let manifestBytes = 4 << 20

    /// The folder.
    let folder: String

    /// - Parameter storePath: the database, beside which the folder is.
    init(besideStore storePath: String) {
        folder = storePath + "-geofences"
    }

    // MARK: Reading

    /// What the last run left, the newest first; none where there is nothing.
    func generations() throws(Fault) -> [Generation] {
        let path = "\(folder)/\(Self.manifestName)"
        guard access(path, F_OK) == 0 else { return [] }
        switch FileBytes.read(path, atMost: Self.manifestBytes) {
        case .failure(let error): throw Fault(description: "\(path): \(error)")
        case .success(let bytes):
            guard let manifest = try? JSONText.decode(Manifest.self, from: bytes), manifest.version == 1 else {
                throw Fault(description: "\(path): not a list of geofence files of this version")
            }
            return manifest.generations
        }
    }

    /// The fences of a layer.
    func set(of layer: Layer) throws(Fault) -> GeofenceSet {
        let path = "\(folder)/\(layer.file)"
        do {
            let parts = try FenceFile.read(path)
            return try GeofenceSet(attributes: parts.attributes, index: parts.index)
        } catch let error as Fault {
            throw error
        } catch {
            throw Fault(description: "\(path): \(error)")
        }
    }

    // MARK: Writing

    /// Writes a layer's file, unless it is there.
    func write(_ set: GeofenceSet, of layer: GeofenceLayer) throws(Fault) -> Layer {
        let level = Self.name(of: layer.level)
        let hash = String(set.identity, radix: 16)
        let plain = level.map { $0 == ":" ? "-" : $0 }
        let name = "\(String(plain))\(layer.isSingle ? ".single" : "").\(hash).fences"
        try makeFolder()
        if access("\(folder)/\(name)", F_OK) != 0 {
            let parts = set.serialized()
            try FenceFile.write([FenceFile.head(parts), parts.attributes, parts.index], to: "\(folder)/\(name)")
        }
        return Layer(level: level, isSingle: layer.isSingle, file: name)
    }

    /// What is in force from now on; files that no generation needs any longer go.
    func commit(_ new: Generation, keeping old: [Generation]) throws(Fault) {
        try makeFolder()
        let kept = [new] + old.filter { $0.identity != new.identity }.prefix(Self.mostGenerations - 1)
        guard let bytes = try? JSONText.bytes(of: Manifest(generations: kept)) else {
            throw Fault(description: "the list of geofence files is no JSON")
        }
        try FenceFile.write([bytes], to: "\(folder)/\(Self.manifestName)")
        let needed = Set(kept.flatMap { $0.layers.map(\.file) } + [Self.manifestName])
        for name in FenceFile.names(in: folder) where !needed.contains(name) { unlink("\(folder)/\(name)") }
    }

    private func makeFolder() throws(Fault) {
        guard mkdir(folder, 0o750) == 0 || errno == EEXIST else {
            throw Fault(description: "\(folder): the folder cannot be made: \(String(cString: strerror(errno)))")
        }
    }

    /// What stands for a level here: the device's own name may change.
    static func name(of level: DownlinkLevel) -> String {
        switch level {
        case .all: "all"
        case .group(let name): "group:\(name)"
        case .device: "device"
        }
    }
}

/// A file of fences: 8 bytes of magic and version, UInt64 bytes of attributes, UInt64 bytes of index, little-endian; then the two.
enum FenceFile {
    private static let magic: UInt64 = 0x3130_4C49_4645_4647  // "GFEFIL01"
    private static let headBytes = 24

    static func head(_ parts: (attributes: [UInt8], index: [UInt8])) -> [UInt8] {
        [magic, UInt64(parts.attributes.count), UInt64(parts.index.count)].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
    }

    static func read(_ path: String) throws(GeofenceFiles.Fault) -> (attributes: [UInt8], index: [UInt8]) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fault(path, "cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, let head = bytes(descriptor, headBytes) else {
            throw fault(path, "no file of geofences")
        }
        let words = stride(from: 0, to: headBytes, by: 8).map { start in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(head[start + $1]) << UInt64(8 * $1) }
        }
        let rest = UInt64(max(0, Int(information.st_size) - headBytes))
        guard words[0] == magic, words[1] <= rest, words[2] == rest - words[1],
            let attributes = bytes(descriptor, Int(words[1])), let index = bytes(descriptor, Int(words[2]))
        else { throw fault(path, "no file of geofences, or cut off") }
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

    /// Writes a file so that it is there whole or not at all, also after a power cut.
    static func write(_ parts: [[UInt8]], to path: String) throws(GeofenceFiles.Fault) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fault(temporary, "cannot be made: \(String(cString: strerror(errno)))") }
        var isDone = true
        for part in parts where isDone { isDone = write(part, descriptor) }
        isDone = isDone && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isDone, rename(temporary, path) == 0 else {
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

    /// The files of a folder.
    static func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func fault(_ path: String, _ words: String) -> GeofenceFiles.Fault {
        GeofenceFiles.Fault(description: "\(path): \(words)")
    }
}
