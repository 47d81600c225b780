import OdographWire

/// The reserved numbers of a run in memory, in the file of the database that cannot be used: its next opening then
/// knows which numbers of the run's epoch can have been published. Without them it continues all the same.
struct MemoryReservation {
    let file: SequenceReservationFile
    private var record: SequenceReservation

    /// - Parameters:
    ///   - file: A file that exists.
    ///   - identities: The epoch of the run.
    init(file: SequenceReservationFile, _ identities: EpochIdentity) {
        self.file = file
        record = .initial(identities)
    }

    /// Reserves numbers, unless they are reserved already.
    mutating func reserve(through seq: Int64) {
        guard seq > record.reservedThrough else { return }
        var next = record
        next.reservedThrough = seq + SequenceAllocator.blockSize - 1
        if (try? file.saveMemoryRun(next)) != nil { record = next }
    }

    /// Releases the unused numbers at the end of the run.
    func close(newest: Int64) {
        guard newest < record.reservedThrough else { return }
        var closed = record
        closed.reservedThrough = newest
        try? file.saveMemoryRun(closed)
    }
}
