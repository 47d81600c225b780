/// The numbers that a database may use without writing its ``SequenceReservationFile`` again.
struct SequenceAllocator {
    /// How many numbers are reserved at a time. One block costs two fsyncs, and leaves a gap of so many numbers at most
    /// where the agent does not end properly.
    static let blockSize: Int64 = 256

    private var file: SequenceReservationFile
    private(set) var reservation: SequenceReservation
    /// Every number up to this one survives a power cut.
    private var durableThrough: Int64
    /// Whether a block was reserved since the database was opened.
    private(set) var isBlockReserved = false

    /// - Parameters:
    ///   - file: The file, as it was loaded or saved last.
    ///   - record: What it holds.
    ///   - isReverted: Whether the database has less than the record says was committed.
    init(file: SequenceReservationFile, reservation: SequenceReservation, isReverted: Bool) {
        self.file = file
        self.reservation = reservation
        durableThrough = isReverted ? 0 : reservation.committedThrough
    }

    /// Notes that everything up to a number is on the disk for good.
    mutating func markDurable(through seq: Int64) { durableThrough = max(durableThrough, seq) }

    /// Reserves numbers, in the file first, where that is not done yet.
    ///
    /// - Parameters:
    ///   - seq: The last number that is wanted.
    ///   - isDurable: Whether each commit survives a power cut.
    ///   - logBytes: The size below which the write-ahead log does not fall, in bytes.
    ///   - systemRun: See ``SequenceReservation/bootID``.
    mutating func reserve(
        through seq: Int64, isDurable: Bool, logBytes: Int, bootID: UInt64?
    ) throws(StoreError) {
        guard !isBlockReserved || seq > reservation.reservedThrough else { return }
        var next = reservation
        next.committedThrough = durableThrough
        next.reservedThrough = max(reservation.reservedThrough, seq + Self.blockSize - 1)
        next.isDurable = isDurable
        next.logBytes = Int64(logBytes)
        next.bootID = bootID
        try file.save(next)
        reservation = next
        isBlockReserved = true
    }

    /// The loss of the file since it was loaded or saved last. Nil for none, and if it cannot be read now.
    ///
    /// A record of the same epoch that reserves more is the own one: saving it was interrupted after the first copy.
    var fileLoss: OpenFileIdentities.Loss? {
        var file = file
        guard let content = try? file.load() else { return nil }
        if let found = content.reservation, found.epochIdentity == reservation.epochIdentity,
            found.reservedThrough >= reservation.reservedThrough
        {
            return nil
        }
        return OpenFileIdentities.Loss(file: .sequenceReservation, isDeleted: content == .absent)
    }

    /// Writes the file again, after it was deleted or replaced.
    ///
    /// - Parameter asidePath: The path of a database, beside which the present file is kept. Nil where there is none.
    /// - Returns: The new path of the present file.
    mutating func rewrite(asidePath: String?) throws(StoreError) -> String? {
        let kept = try asidePath.map { path throws(StoreError) in try file.putAside(besideDatabase: path) }
        try file.save(reservation)
        return kept
    }

    /// Gives back what is reserved, when the database is closed: its next opening goes on without a gap.
    ///
    /// - Parameter newest: The newest number that was used.
    func close(newest: Int64) {
        guard isBlockReserved else { return }
        var (closed, file) = (reservation, file)
        closed.committedThrough = newest
        closed.reservedThrough = newest
        // Where it cannot be written, the next opening leaves a gap.
        try? file.save(closed)
    }
}
