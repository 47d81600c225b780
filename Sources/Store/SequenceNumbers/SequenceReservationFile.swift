import OdographWire

/// The file beside a database that contains its ``SequenceReservation``: `agent.db-numbers`.
///
/// It has two copies of the reservation, 4096 bytes apart, in different sectors and pages. They are written one after
/// the other, each with its own fsync, whatever `synchronous` is. So a power cut or a flipped bit damages at most one.
struct SequenceReservationFile {
    /// The contents of the file.
    enum Content: Hashable {
        /// There is no file.
        case absent
        /// There is a file, but neither copy can be read.
        case unreadable
        /// The file contains a reservation.
        case reservation(SequenceReservation)

        /// The reservation. Nil if there is none.
        var reservation: SequenceReservation? { if case .reservation(let record) = self { record } else { nil } }
    }

    private static let copyOffsets = [0, 4096]

    let path: String
    private let files: StoreFileSystem
    private var writes: UInt64 = 0
    /// The copy that is written first: never the only readable one.
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
    /// - Throws: `unusable` if the system does not permit reading it.
    mutating func load() throws(StoreError) -> Content {
        guard let bytes = try files.contents(of: path) else { return .absent }
        let copies = Self.copyOffsets.map { SequenceReservation.decoded(bytes.dropFirst($0)) }
        guard let newest = copies.compactMap({ $0 }).max(by: { $0.writes < $1.writes }) else {
            return .unreadable
        }
        writes = newest.writes
        firstCopy = copies[0]?.writes == newest.writes ? 1 : 0
        return .reservation(newest.record)
    }

    /// Writes the reservation. On return it survives a power cut.
    ///
    /// - Throws: `unusable` or `diskFull`. Then the file has this reservation or the previous one.
    mutating func save(_ record: SequenceReservation) throws(StoreError) {
        let bytes = record.bytes(writes: writes + 1)
        for copy in [firstCopy, 1 - firstCopy] {
            try files.overwrite(path, at: Self.copyOffsets[copy], with: bytes)
        }
        writes += 1
        firstCopy = 0
    }

    // MARK: Runs in memory

    /// The places of the reservations of runs in memory: between the two copies, in the first block of the file, so
    /// that a full disk takes them.
    private static let memoryPlaceRange = 2048..<4096
    private static let memoryPlaceBytes = 128

    /// The reservations of the runs in memory that no database has taken into its ledger.
    var memoryRuns: [SequenceReservation] { memoryPlaces.compactMap(\.record) }

    private var memoryPlaces: [(offset: Int, record: SequenceReservation?)] {
        let (bytes, range) = ((try? files.contents(of: path)) ?? [], Self.memoryPlaceRange)
        let offsets = stride(from: range.lowerBound, to: range.upperBound, by: Self.memoryPlaceBytes)
        return offsets.map { ($0, SequenceReservation.decoded(bytes.dropFirst($0))?.record) }
    }

    /// Writes the reservation of a run in memory: over the former one of this run, or in a free place, or over the
    /// oldest.
    func saveMemoryRun(_ record: SequenceReservation) throws(StoreError) {
        let epochs = memoryPlaces.map { (offset: $0.offset, epoch: $0.record?.epochIdentity.epoch ?? 0) }
        let own = epochs.first { $0.epoch == record.epochIdentity.epoch }
        // A free place has epoch 0.
        guard let place = own ?? epochs.min(by: { $0.epoch < $1.epoch }) else { return }
        try files.overwrite(path, at: place.offset, with: record.bytes(writes: 0))
    }

    /// Deletes the reservations of the runs in memory.
    func removeMemoryRuns() throws(StoreError) {
        let range = Self.memoryPlaceRange
        try files.overwrite(path, at: range.lowerBound, with: [UInt8](repeating: 0, count: range.count))
    }

    /// Renames the present file, and returns the new path.
    func putAside(besideDatabase database: String) throws(StoreError) -> String {
        let other = database + StoreFileSystem.reservationSuffix
        do {
            try files.operations.rename(path, to: other)
        } catch {
            throw .unusable(path: path, reason: "the present file cannot be renamed to \(other): \(error)")
        }
        return other
    }
}
