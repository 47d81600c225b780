import Glibc
import Odograph
import OdographCivilTime
import OdographJSON
import OdographTerminal
import OdographWire

/// The configurations, or the sets of geofences, of a level that this desk has published, or has found at the broker.
///
/// A file of JSON lines in the folder of the desk's state. Desks of one user share it.
public struct DocumentHistory: Sendable {
    /// A document.
    public struct Entry: Hashable, Sendable, Codable {
        /// The time at which this desk published the document, or found it at the broker.
        public var at: Timestamp
        /// The sender, as its desk named it; nil if it is not known.
        public var sender: String?
        /// The version in the document; nil if it has none.
        public var version: String?
        /// The SHA-256 hash of the document as the broker has it, which vehicles report.
        public var hash: String
        /// Whether this desk published it; otherwise another one did, at an earlier time.
        public var isPublished: Bool
        /// The document as its author has written it, or as it was found; empty if it removed the one before it. A
        /// published configuration has the same values as strict JSON.
        public var document: String

        private enum CodingKeys: String, CodingKey {
            case at, sender, version, hash, document
            case isPublished = "published"
        }

        /// - Parameters:
        ///   - text: The document as its author has written it.
        ///   - document: What is known of the document that the broker has.
        ///   - time: The time at which this desk published or found it.
        ///   - isPublished: Whether this desk published it.
        /// - Returns: nil if the document is not text.
        init?(_ text: [UInt8], _ document: DesiredDocument, at time: Timestamp, isPublished: Bool) {
            guard let text = String(validating: text, as: UTF8.self) else { return nil }
            (at, sender, version, hash) = (time, document.sender, document.version, document.hash)
            self.isPublished = isPublished
            self.document = text
        }

        /// The document as its author has written it.
        package var text: [UInt8] { Array(document.utf8) }

        /// Whether the text is the document with the hash: as it is, or as strict JSON.
        fileprivate var isIntact: Bool {
            SHA256.hexDigest(of: text) == hash
                || SHA256.hexDigest(of: FleetDocument.strictJSON(of: text)) == hash
        }
    }

    /// The number of kept documents of a level.
    static let maximumCount = 100
    /// The most bytes of the kept documents of a level, except the newest one. Sets of geofences can be large.
    static let maximumBytes = 32 << 20

    /// The path of the file.
    public let path: String

    /// - Parameters:
    ///   - folder: The folder of the desk's state.
    ///   - broker: The broker, as `host:port`.
    ///   - topic: The topic of the documents.
    public init(folder: String, broker: String, topic: String) {
        // The parts of a topic are names; only the name of a host can contain other characters.
        let host = String(broker.map { $0 == "/" ? "_" : $0 })
        path = "\(folder)/\(host)/\(topic).jsonl"
    }

    /// Returns the documents, oldest first. A line that cannot be read is omitted.
    /// - Throws: `ExitError` if the file exists and cannot be read.
    public func entries() throws(ExitError) -> [Entry] {
        guard FileReader.mayExist(path) else { return [] }
        switch FileReader.read(path, atMost: 128 << 20) {
        case .failure(let error): throw ExitError(.noInput, "\(path): \(error.description)".printable)
        case .success(let bytes):
            return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
                guard let entry = try? JSONCoder.decode(Entry.self, from: Array(line)), entry.isIntact else {
                    return nil
                }
                return entry
            }
        }
    }

    /// Adds a document, if it is not the newest one, and removes the oldest ones above the limit.
    /// - Throws: `ExitError` if the file cannot be written.
    func add(_ entry: Entry) throws(ExitError) {
        try makeFolders()
        let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw failure() }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw failure() }
        let old = try entries()
        guard old.last?.hash != entry.hash else { return }
        let lines: [[UInt8]]
        do {
            lines = try (old + [entry]).suffix(Self.maximumCount).map { try JSONCoder.bytes(of: $0) }
        } catch {
            throw ExitError(.software, "\(error)")
        }
        var kept = 0
        var bytes = 0
        for line in lines.reversed() {
            bytes += line.count
            guard kept == 0 || bytes <= Self.maximumBytes else { break }
            kept += 1
        }
        do throws(FileFault) {
            try AtomicFile.write(lines.suffix(kept).map { $0 + [UInt8(ascii: "\n")] }, to: path)
        } catch {
            throw ExitError(.cannotCreate, "the document cannot be kept: \(error)".printable)
        }
    }

    private func makeFolders() throws(ExitError) {
        var place = path.startIndex
        while let slash = path[place...].dropFirst().firstIndex(of: "/") {
            if mkdir(String(path[..<slash]), 0o700) != 0, errno != EEXIST { throw failure() }
            place = slash
        }
    }

    private func failure() -> ExitError {
        ExitError(.cannotCreate, "\(path): the document cannot be kept: \(String(cString: strerror(errno)))".printable)
    }

    // MARK: Selection

    /// Returns the document that a roll-back publishes.
    /// - Parameters:
    ///   - entries: The documents, oldest first.
    ///   - wanted: The version, or the beginning of the hash; nil: the newest one that differs from the present one.
    ///   - current: The hash of the document that the broker retains; nil if it retains none.
    ///   - kind: The kind of the documents.
    /// - Throws: `ExitError` if there is none.
    package static func target(
        in entries: [Entry], matching wanted: String?, current: String?, of kind: DocumentPlace.Kind = .configuration
    ) throws(ExitError) -> Entry {
        guard let wanted else {
            // Without a document at the broker, the newest one comes back.
            guard let entry = entries.last(where: { $0.hash != current && !$0.document.isEmpty }) else {
                throw ExitError(
                    .unavailable,
                    "this desk keeps no other document of this level; \"\(kind.command) history\" lists what it keeps")
            }
            return entry
        }
        let hash = wanted.hasPrefix("#") ? wanted.dropFirst() : wanted[...]
        let byVersion = entries.last { $0.version == wanted }
        guard let entry = byVersion ?? entries.last(where: { hash.count >= 4 && $0.hash.hasPrefix(hash) }) else {
            throw ExitError(
                .unavailable,
                "this desk keeps no document with the version or hash \(wanted.printable); "
                    + "\"\(kind.command) history\" lists what it keeps")
        }
        return entry
    }

    // MARK: Text

    /// Returns the documents as a table, newest first.
    /// - Parameters:
    ///   - entries: The documents, oldest first.
    ///   - current: The hash of the document that the broker retains; nil if it retains none.
    ///   - width: The maximum number of characters per line; nil: no limit.
    public static func table(_ entries: [Entry], current: String?, width: Int?) -> String {
        let newest = entries.last { $0.hash == current }
        let rows = entries.reversed().map { entry in
            [
                String(Format.time(entry.at).prefix(16)),
                entry.document.isEmpty ? "removal" : entry.version ?? "none", "#\(entry.hash.prefix(7))",
                entry.sender ?? "unknown", entry == newest ? "current" : "", entry.isPublished ? "" : "found",
            ]
        }
        return TextTable(
            [
                .init("WHEN (UTC)"), .init("VERSION"), .init("HASH"), .init("WHO", dropOrder: 1), .init("NOW"),
                .init("", dropOrder: 2),
            ], rows: rows
        ).text(width: width)
    }

    /// Returns one JSON object per line, oldest first.
    /// - Parameters: As ``table(_:current:width:)``.
    public static func jsonLines(_ entries: [Entry], current: String?) throws -> String {
        try entries.map { entry in
            var members = try JSONCoder.members(of: entry)
            members["at_broker"] = .bool(entry.hash == current)
            for key in ["sender", "version"] where members[key] == nil { members[key] = .null }
            return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
        }.joined()
    }
}
