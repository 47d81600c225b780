/// The file beside a database that holds its ``SequenceReservation``: `agent.db-numbers`.
///
/// It has two copies of the record, 4096 bytes apart, in sectors and pages of their own. They are written one after the other, each with its own fsync,
/// whatever `synchronous` says: a power cut damages one copy at the most, and so does a bit that flips later.
struct SequenceReservationFile {
    /// What the file holds.
    enum Content: Hashable {
        /// There is no file.
        case absent
        /// There is a file, and neither copy can be read.
        case unreadable
        /// The record.
        case reservation(SequenceReservation)

        /// The record. Nil where there is none.
        var reservation: SequenceReservation? { if case .reservation(let record) = self { record } else { nil } }
    }

    private static let copyOffsets = [0, 4096]

    let path: String
    private let files: StoreFileSystem
    private var generation: UInt64 = 0
    /// The copy that is written first: never the only one that can be read.
    private var firstCopy = 0

    /// - Parameters:
    ///   - database: The path of the database.
    ///   - files: The files beneath the store.
    init(besideDatabase database: String, on files: StoreFileSystem) {
        path = database + StoreFileSystem.reservationSuffix
        self.files = files
    }

    /// Reads the file.
    ///
    /// - Throws: `unusable` when the system does not let it be read.
    mutating func load() throws(StoreError) -> Content {
        guard let bytes = try files.contents(of: path) else { return .absent }
        let copies = Self.copyOffsets.map { SequenceReservation.decoded(bytes.dropFirst($0)) }
        guard let newest = copies.compactMap({ $0 }).max(by: { $0.generation < $1.generation }) else {
            return .unreadable
        }
        generation = newest.generation
        firstCopy = copies[0]?.generation == newest.generation ? 1 : 0
        return .reservation(newest.record)
    }

    /// Writes the record. On return it survives a power cut.
    ///
    /// - Throws: What hinders it. The file then has this record or the one before.
    mutating func save(_ record: SequenceReservation) throws(StoreError) {
        let bytes = record.bytes(generation: generation + 1)
        for copy in [firstCopy, 1 - firstCopy] {
            try files.overwrite(path, at: Self.copyOffsets[copy], with: bytes)
        }
        generation += 1
        firstCopy = 0
    }

    /// Renames what is there now.
    ///
    /// - Returns: The new path.
    func putAside(besideDatabase database: String) throws(StoreError) -> String {
        let other = database + StoreFileSystem.reservationSuffix
        do {
            try files.operations.rename(path, to: other)
        } catch {
            throw .unusable(path: path, reason: "what is there now cannot be renamed to \(other): \(error)")
        }
        return other
    }
}
