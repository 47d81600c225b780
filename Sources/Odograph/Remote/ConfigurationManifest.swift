import Glibc
import OdographJSON
import Wire

/// A small file beside the database that lists the configuration documents which the database must have, by their hashes.
///
/// A database that was damaged, deleted, or taken back to an earlier state by a lost log does not say which documents it had.
/// This file does: a document that is missing, or another one than the file lists, counts as unreadable and not as absent.
/// It is written before a document is saved, with the old hash and the new one, and once more after that.
struct ConfigurationManifest: Sendable {
    /// The hashes that each level may have, by its saved name; an empty one stands for no document.
    typealias LevelHashes = [String: [String]]

    /// What the file says.
    enum ReadResult: Hashable, Sendable {
        /// There is none.
        case absent
        case levels(LevelHashes)
        /// Why it cannot be read.
        case unreadable(String)
    }

    /// Stands for a document of which nothing is known, not even whether there is one.
    static let unknownHash = "?"
    /// The hash of no document.
    static let absentHash = ""
    private static let maximumBytes = 1 << 20

    private struct Content: Codable {
        var version = 1
        var levels: LevelHashes
    }

    /// The file.
    let path: String

    /// - Parameter storePath: the database, beside which the file is.
    init(besideStore storePath: String) {
        path = storePath + "-configuration"
    }

    /// Reads the file.
    func read() -> ReadResult {
        guard FileReader.mayExist(path) else { return .absent }
        switch FileReader.read(path, atMost: Self.maximumBytes) {
        case .failure(let error): return .unreadable("\(path): \(error)")
        case .success(let bytes):
            guard let content = try? JSONCoder.decode(Content.self, from: bytes), content.version == 1 else {
                return .unreadable("\(path): not a list of configuration documents of this version")
            }
            return .levels(content.levels)
        }
    }

    /// Replaces the file, in one step.
    func write(_ levels: LevelHashes) throws {
        try GeofenceLayerFile.writeAtomically([JSONCoder.bytes(of: Content(levels: levels))], to: path)
    }

    /// What the document of a level is to be taken for, by what the database and the file say.
    /// - Parameters:
    ///   - saved: what the database says.
    ///   - level: the level's saved name.
    ///   - isDatabaseNew: whether the database was begun anew although there was one.
    static func classify(
        _ saved: SavedDocument, ofLevel level: String, by reading: ReadResult, isDatabaseNew: Bool
    ) -> DocumentStatus {
        switch (saved, reading) {
        case (.unreadable(let reason), _): return .unreadable(reason)
        case (.found(let bytes), .levels(let levels)):
            guard let known = levels[level], known != [unknownHash] else { return .found(bytes) }
            return known.contains(SHA256.hexDigest(of: bytes))
                ? .found(bytes) : .unreadable("the database has an earlier one than was saved last")
        case (.found(let bytes), _): return .found(bytes)
        case (.absent, .levels(let levels)):
            guard let known = levels[level], !known.contains(absentHash) else { return .absent }
            return known == [unknownHash] ? .uncertain : .unreadable("the database no longer has it")
        case (.absent, .absent): return isDatabaseNew ? .uncertain : .absent
        case (.absent, .unreadable): return .uncertain
        }
    }

    /// What the document of a level is taken for.
    enum DocumentStatus: Hashable, Sendable {
        case absent
        case found([UInt8])
        /// There was one that cannot be read.
        case unreadable(String)
        /// It is not known whether there was one.
        case uncertain
    }
}
