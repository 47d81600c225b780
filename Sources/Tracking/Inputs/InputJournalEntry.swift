/// The inputs of one commit, how far they lead in the source, and what the odometer showed then.
///
/// LEB128 (DWARF 5, section 7.6): the source's ordinal, the odometer and its bound in tenths of a metre; then an
/// ``InputJournal``. Like that it is read by every later version. The reading stands beside the inputs for a tracker that
/// has to learn again what they lead to.
public struct InputJournalEntry: Equatable, Sendable {
    /// The source's last event that was dealt with; 0 for none.
    public let sourceOrdinal: Int64
    /// What the odometer showed, metres.
    public let odometerMeters: Double
    /// The bound of that, metres, ≥ 0.
    public let odometerErrorMeters: Double
    /// The encoded inputs.
    private let journal: ArraySlice<UInt8>

    /// - Parameters:
    ///   - journal: the inputs.
    ///   - sourceOrdinal: the source's last event among them, or before.
    ///   - tracker: what they led to.
    public init(_ journal: InputJournal, sourceOrdinal: Int64, leadingTo tracker: Tracker) {
        self.sourceOrdinal = sourceOrdinal
        odometerMeters = tracker.odometerMeters
        odometerErrorMeters = tracker.odometerErrorMeters
        self.journal = journal.bytes[...]
    }

    /// Reads an entry.
    /// - Throws: ``InputJournalError`` where the bytes are none.
    public init(bytes: [UInt8]) throws(InputJournalError) {
        var reader = InputJournalReader(bytes: bytes)
        sourceOrdinal = try reader.readSigned()
        odometerMeters = Double(try reader.readSigned()) / 10
        odometerErrorMeters = Double(try reader.readSigned()) / 10
        journal = bytes[reader.offset...]
    }

    /// The entry as it is stored.
    public var bytes: [UInt8] {
        var writer = InputJournalWriter(bytes: [])
        writer.put(signed: sourceOrdinal)
        writer.put(signed: Self.tenths(of: odometerMeters))
        writer.put(signed: Self.tenths(of: odometerErrorMeters))
        return writer.bytes + journal
    }

    /// The inputs, or those before the first that cannot be read.
    public var inputs: (readable: [TrackerInput], areComplete: Bool) {
        let (inputs, damage) = InputJournal.readableInputs(in: journal)
        return (inputs, damage == nil)
    }

    /// Whoever sets an odometer may set it to anything.
    private static func tenths(of meters: Double) -> Int64 { Int64(exactly: (meters * 10).rounded()) ?? 0 }
}
