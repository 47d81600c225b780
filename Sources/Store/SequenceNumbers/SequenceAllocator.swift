import OdographWire

/// The sequence numbers that a database may use before it writes its ``SequenceReservationFile`` again.
struct SequenceAllocator {
    /// The number of sequence numbers in a block. A block costs two fsyncs. If the agent ends without closing, the gap
    /// is at most one block and the interrupted commit.
    static let blockSize: Int64 = 256

    private var file: SequenceReservationFile
    private(set) var reservation: SequenceReservation
    /// The last number that is certain to survive a power cut, with all before it.
    private var durableThrough: Int64
    /// Whether a block was reserved since the database was opened.
    private(set) var isBlockReserved = false
    /// The last number that can have been published from this disk: an announcement that allows it has reached the
    /// broker, as far as is known.
    private(set) var publishableThrough: Int64

    /// - Parameters:
    ///   - file: The file, after it was last loaded or saved.
    ///   - reservation: The contents of the file.
    ///   - newestSeq: The newest number in the database.
    init(file: SequenceReservationFile, reservation: SequenceReservation, newestSeq: Int64) {
        self.file = file
        self.reservation = reservation
        // A database with fewer records than were committed is in an earlier state.
        durableThrough = newestSeq < reservation.committedThrough ? 0 : reservation.committedThrough
        publishableThrough = min(reservation.announcedThrough, newestSeq)
    }

    /// Notes that everything up to a number survives a power cut.
    mutating func markDurable(through seq: Int64) { durableThrough = max(durableThrough, seq) }

    /// Reserves numbers in the file, unless they are reserved already.
    ///
    /// - Parameters:
    ///   - seq: The last number to reserve.
    ///   - isDurable: Whether each commit survives a power cut.
    ///   - logBytes: The minimum size of the write-ahead log, in bytes.
    ///   - bootID: See ``SequenceReservation/bootID``.
    mutating func reserve(
        through seq: Int64, isDurable: Bool, logBytes: Int, bootID: UInt64?
    ) throws(StoreError) {
        guard !isBlockReserved || seq > reservation.reservedThrough else { return }
        var next = reservation
        next.committedThrough = durableThrough
        // Each run announces numbers that the broker does not know yet: a copy of this disk knows the others.
        next.reservedThrough = max(
            reservation.reservedThrough, seq + Self.blockSize - 1, reservation.announcedThrough + 1)
        next.isDurable = isDurable
        next.logBytes = Int64(logBytes)
        next.bootID = bootID
        try file.save(next)
        reservation = next
        isBlockReserved = true
    }

    /// Notes in the file that all reserved numbers will be announced. Comes before the announcement.
    mutating func announce() throws(StoreError) {
        guard reservation.announcedThrough < reservation.reservedThrough else { return }
        var next = reservation
        next.announcedThrough = reservation.reservedThrough
        next.announcementID = .random(in: 1 ... .max)
        try file.save(next)
        reservation = next
    }

    /// Returns the announcement of a database in memory: its epoch has begun in this run, and no disk brings it back.
    static func announcement(inMemory counters: StoreCounters) -> NumberAnnouncement {
        let blocks = (counters.usedThroughSeq + blockSize - 1) / blockSize
        return NumberAnnouncement(
            epoch: counters.epochIdentity.epoch, through: blocks * blockSize, id: counters.epochIdentity.seed.low | 1)
    }

    /// Notes that announced numbers can be published from now on.
    ///
    /// An announcement of an earlier run permits none that are new: a copy of the disk has the same announcement.
    /// - Parameter used: The newest used number, which is announced.
    mutating func permitAnnounced(used: Int64) {
        if used > publishableThrough { publishableThrough = reservation.announcedThrough }
    }

    /// The loss of the file since it was last loaded or saved. Nil if there is none, or the file cannot be read now.
    ///
    /// A reservation of the same epoch with higher numbers is no loss: saving it was interrupted after one copy.
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
    /// - Parameter asidePath: The path of a database beside which the present file is kept. Nil if there is none.
    /// - Returns: The new path of the present file.
    mutating func rewrite(asidePath: String?) throws(StoreError) -> String? {
        let kept = try asidePath.map { path throws(StoreError) in try file.putAside(besideDatabase: path) }
        try file.save(reservation)
        return kept
    }

    /// Notes in the file that numbers are left out for records that end with this run. The next opening cannot prove
    /// that they were never used, so it enters them in the ledger as possibly lost.
    ///
    /// - Parameter seq: The last of the numbers.
    mutating func leaveOut(through seq: Int64) throws(StoreError) {
        var next = reservation
        next.committedThrough = durableThrough
        next.reservedThrough = max(reservation.reservedThrough, seq)
        next.isDurable = false
        next.bootID = nil
        try file.save(next)
        reservation = next
    }

    /// Releases the reserved numbers when the database is closed, so that its next opening continues without a gap.
    ///
    /// - Parameter newest: The newest used number.
    func close(newest: Int64) {
        guard isBlockReserved else { return }
        var (closed, file) = (reservation, file)
        closed.committedThrough = newest
        closed.reservedThrough = newest
        // If it cannot be written, the next opening leaves a gap.
        try? file.save(closed)
    }
}
