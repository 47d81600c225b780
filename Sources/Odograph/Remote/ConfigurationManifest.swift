import Glibc
import OdographJSON
import OdographSettings
import OdographWire

/// A file beside the database that lists the configuration documents of the database by their hashes.
///
/// A database that was damaged, deleted, or reset to an earlier state by a lost log does not show which documents it
/// had. If a document is missing, or differs from this list, it counts as unreadable and not as absent. The file is
/// written before a document is saved, with the old and the new hash, and again after that.
package struct ConfigurationManifest: Sendable {
    /// The hashes that each level may have, by its saved name. An empty hash means no document.
    package typealias LevelHashes = [String: [String]]

    package enum ReadResult: Hashable, Sendable {
        case absent
        case levels(LevelHashes)
        /// The reason why it cannot be read.
        case unreadable(String)
    }

    /// The hash of a level that may or may not have a document.
    package static let unknownHash = "?"
    /// The hash of an absent document.
    package static let absentHash = ""
    /// The document in the database of a level that may or may not have one, while the file cannot be written.
    package static let unknownDocument = Array(unknownHash.utf8)
    private static let maximumBytes = 1 << 20

    private struct Content: Codable {
        var version = 1
        var levels: LevelHashes
    }

    package let path: String

    /// - Parameter storePath: The path of the database. The file is beside it.
    package init(besideStore storePath: String) {
        path = storePath + "-configuration"
    }

    package func read() -> ReadResult {
        guard FileReader.mayExist(path) else { return .absent }
        switch FileReader.read(path, atMost: Self.maximumBytes) {
        case .failure(let error): return .unreadable("\(path): \(error)")
        case .success(let bytes):
            guard let content = try? JSONCoder.decode(Content.self, from: bytes), content.version == 1 else {
                return .unreadable("\(path): not a list of configuration documents, or of another version")
            }
            return .levels(content.levels)
        }
    }

    /// Replaces the file atomically, or on a full disk overwrites it: an unreadable one counts in no case as a proof
    /// that there is no document.
    package func write(_ levels: LevelHashes) throws {
        let bytes = try JSONCoder.bytes(of: Content(levels: levels))
        do {
            try AtomicFile.write([bytes], to: path)
        } catch {
            guard AtomicFile.overwrite(path, with: bytes) else { throw error }
        }
    }

    /// Returns the status of a level's document, from the database and the file.
    /// - Parameters:
    ///   - saved: The document in the database.
    ///   - level: The level's saved name.
    ///   - isDatabaseNew: Whether the database was begun again although there was one.
    package static func classify(
        _ saved: SavedDocument, ofLevel level: String, by reading: ReadResult, isDatabaseNew: Bool
    ) -> DocumentStatus {
        switch (saved, reading) {
        case (.unreadable(let reason), _): return .unreadable(reason)
        case (.found(unknownDocument), _): return .uncertain
        case (.found(let bytes), .levels(let levels)):
            guard let known = levels[level], known != [unknownHash] else { return .found(bytes) }
            return known.contains(SHA256.hexDigest(of: bytes))
                ? .found(bytes) : .unreadable("the database contains an older document than the last saved one")
        case (.found(let bytes), _): return .found(bytes)
        case (.absent, .levels(let levels)):
            guard let known = levels[level], !known.contains(absentHash) else { return .absent }
            return known == [unknownHash] ? .uncertain : .unreadable("the document is missing in the database")
        case (.absent, .absent): return isDatabaseNew ? .uncertain : .absent
        case (.absent, .unreadable): return .uncertain
        }
    }

    /// The status of a level's document.
    package enum DocumentStatus: Hashable, Sendable {
        case absent
        case found([UInt8])
        /// There was a document that cannot be read.
        case unreadable(String)
        /// It is unknown whether there was a document.
        case uncertain
    }
}
