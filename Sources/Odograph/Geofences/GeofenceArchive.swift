import Glibc
import OdographJSON
import OdographSettings
import OdographTracking
import OdographWire

/// The geofences on the disk: one `GeofenceLayerFile` for each layer, and a manifest that lists the files in force.
///
/// A file is never changed: a new one has another name, and the manifest is replaced atomically. After a power cut the
/// old set or the new one is in force.
package struct GeofenceArchive: Sendable {
    /// A set of geofences that is or was in force.
    package struct Generation: Hashable, Sendable, Codable {
        /// The `GeofenceSet.identity` of the whole set.
        package var identity: UInt64
        /// The layers that contain geofences, the weakest first.
        package var layers: [Layer]
        /// The status of each level, for the report.
        package var facts: [GeofenceLevelStatus]
    }

    package struct Layer: Hashable, Sendable, Codable {
        /// The level's name as in a topic: `all`, `group:vans`; `device` for the device's own level.
        package var level: String
        package var isSingle: Bool
        /// The name of the file in the folder.
        package var file: String
    }

    private struct Manifest: Codable {
        var version = 1
        /// The newest first. The tracker's saved state may refer to the one before.
        var generations: [Generation]
    }

    private static let manifestName = "manifest.json"
    private static let maximumGenerations = 2
    /// A manifest has a few kilobytes, mostly reported errors.
    private static let maximumManifestBytes = 4 << 20

    package let folder: String

    /// - Parameter storePath: The path of the database. The folder is beside it.
    package init(besideStore storePath: String) {
        folder = storePath + "-geofences"
    }

    // MARK: Reading

    /// Returns the saved generations, the newest first. Empty if there are none.
    package func generations() throws(FileFault) -> [Generation] {
        let path = "\(folder)/\(Self.manifestName)"
        guard FileReader.mayExist(path) else { return [] }
        switch FileReader.read(path, atMost: Self.maximumManifestBytes) {
        case .failure(let error): throw FileFault(path, "\(error)")
        case .success(let bytes):
            guard let manifest = try? JSONCoder.decode(Manifest.self, from: bytes), manifest.version == 1 else {
                throw FileFault(path, "not a list of geofence files, or of another version")
            }
            return manifest.generations
        }
    }

    /// Returns the geofences of a layer.
    package func set(of layer: Layer) throws(FileFault) -> GeofenceSet {
        let path = "\(folder)/\(layer.file)"
        do {
            let parts = try GeofenceLayerFile.read(path)
            return try GeofenceSet(attributes: parts.attributes, index: parts.index)
        } catch let error as FileFault {
            throw error
        } catch {
            throw FileFault(path, "\(error)")
        }
    }

    /// Returns whether the manifest and all files of a generation exist.
    package func containsFiles(of generation: Generation) -> Bool {
        ([Self.manifestName] + generation.layers.map(\.file)).allSatisfy { access("\(folder)/\($0)", F_OK) == 0 }
    }

    // MARK: Writing

    /// Writes the file of a layer, unless a readable one exists.
    package func write(_ set: GeofenceSet, of layer: GeofenceLayer) throws(FileFault) -> Layer {
        let level = layer.level.storageName
        let hash = String(set.identity, radix: 16)
        let plain = level.map { $0 == ":" ? "-" : $0 }
        let name = "\(String(plain))\(layer.isSingle ? ".single" : "").\(hash).fences"
        let written = Layer(level: level, isSingle: layer.isSingle, file: name)
        try makeFolder()
        if (try? self.set(of: written)) == nil {
            let parts = set.serialized()
            try AtomicFile.write(
                [GeofenceLayerFile.header(parts), parts.attributes, parts.index], to: "\(folder)/\(name)")
        }
        return written
    }

    /// Puts a generation into force, and deletes the files that no kept generation needs.
    package func commit(_ new: Generation, keeping old: [Generation]) throws(FileFault) {
        try makeFolder()
        let kept = [new] + old.filter { $0.identity != new.identity }.prefix(Self.maximumGenerations - 1)
        guard let bytes = try? JSONCoder.bytes(of: Manifest(generations: kept)) else {
            throw FileFault(description: "the list of geofence files cannot be encoded as JSON")
        }
        try AtomicFile.write([bytes], to: "\(folder)/\(Self.manifestName)")
        let needed = Set(kept.flatMap { $0.layers.map(\.file) } + [Self.manifestName])
        for name in FileReader.entryNames(in: folder) where !needed.contains(name) { unlink("\(folder)/\(name)") }
    }

    /// Deletes all files and the folder.
    package func removeAll() {
        for name in FileReader.entryNames(in: folder) { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private func makeFolder() throws(FileFault) {
        guard mkdir(folder, 0o750) == 0 || errno == EEXIST else {
            throw FileFault(folder, "cannot create the folder: \(String(cString: strerror(errno)))")
        }
    }
}
