import Glibc
import OdographJSON
import Tracking
import Wire

/// The geofences on the disk: a `GeofenceLayerFile` a layer, and a manifest that says which of them are in force. A file is never changed: a new one
/// has another name, and the manifest, which is replaced in one step, goes over to it. So a power cut leaves the old set or the new.
struct GeofenceArchive: Sendable {
    /// What was in force at a time.
    struct Generation: Hashable, Sendable, Codable {
        /// `GeofenceSet.identity` of all of it.
        var identity: UInt64
        /// The layers that have fences, the weakest first.
        var layers: [Layer]
        /// What is to be reported.
        var facts: [GeofenceLevelStatus]
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
    private static let maximumGenerations = 2
    /// A manifest has a few kilobytes, of which most are errors to be reported.
    private static let maximumManifestBytes = 4 << 20

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
        guard FileReader.mayExist(path) else { return [] }
        switch FileReader.read(path, atMost: Self.maximumManifestBytes) {
        case .failure(let error): throw Fault(description: "\(path): \(error)")
        case .success(let bytes):
            guard let manifest = try? JSONCoder.decode(Manifest.self, from: bytes), manifest.version == 1 else {
                throw Fault(description: "\(path): not a list of geofence files of this version")
            }
            return manifest.generations
        }
    }

    /// The fences of a layer.
    func set(of layer: Layer) throws(Fault) -> GeofenceSet {
        let path = "\(folder)/\(layer.file)"
        do {
            let parts = try GeofenceLayerFile.read(path)
            return try GeofenceSet(attributes: parts.attributes, index: parts.index)
        } catch let error as Fault {
            throw error
        } catch {
            throw Fault(description: "\(path): \(error)")
        }
    }

    /// Whether the files of a generation, and the manifest, are there.
    func containsFiles(of generation: Generation) -> Bool {
        ([Self.manifestName] + generation.layers.map(\.file)).allSatisfy { access("\(folder)/\($0)", F_OK) == 0 }
    }

    // MARK: Writing

    /// Writes a layer's file, unless it is there.
    func write(_ set: GeofenceSet, of layer: GeofenceLayer) throws(Fault) -> Layer {
        let level = layer.level.storageName
        let hash = String(set.identity, radix: 16)
        let plain = level.map { $0 == ":" ? "-" : $0 }
        let name = "\(String(plain))\(layer.isSingle ? ".single" : "").\(hash).fences"
        try makeFolder()
        if access("\(folder)/\(name)", F_OK) != 0 {
            let parts = set.serialized()
            try GeofenceLayerFile.writeAtomically(
                [GeofenceLayerFile.header(parts), parts.attributes, parts.index], to: "\(folder)/\(name)")
        }
        return Layer(level: level, isSingle: layer.isSingle, file: name)
    }

    /// What is in force from now on; files that no generation needs any longer go.
    func commit(_ new: Generation, keeping old: [Generation]) throws(Fault) {
        try makeFolder()
        let kept = [new] + old.filter { $0.identity != new.identity }.prefix(Self.maximumGenerations - 1)
        guard let bytes = try? JSONCoder.bytes(of: Manifest(generations: kept)) else {
            throw Fault(description: "the list of geofence files is no JSON")
        }
        try GeofenceLayerFile.writeAtomically([bytes], to: "\(folder)/\(Self.manifestName)")
        let needed = Set(kept.flatMap { $0.layers.map(\.file) } + [Self.manifestName])
        for name in FileReader.entryNames(in: folder) where !needed.contains(name) { unlink("\(folder)/\(name)") }
    }

    /// Takes all of it away.
    func removeAll() {
        for name in FileReader.entryNames(in: folder) { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private func makeFolder() throws(Fault) {
        guard mkdir(folder, 0o750) == 0 || errno == EEXIST else {
            throw Fault(description: "\(folder): the folder cannot be made: \(String(cString: strerror(errno)))")
        }
    }
}
