/// The inputs of one commit, their position in the source, and the odometer after them.
///
/// The encoding is the source's ordinal, then the odometer and its error in tenths of a metre, each zigzag-encoded as
/// unsigned LEB128 (DWARF 5, section 7.6), then an ``InputJournal``. The reading is included for a tracker
/// that cannot reproduce it, because its state is lost.
public struct InputJournalEntry: Equatable, Sendable {
    /// The ordinal of the source's last handled event; 0 for none.
    public let sourceOrdinal: Int64
    /// The odometer reading, metres.
    public let odometerMeters: Double
    /// The half width of its 95 % interval, metres, ≥ 0.
    public let odometerErrorMeters: Double
    /// The encoded inputs.
    private let journal: ArraySlice<UInt8>

    /// Creates an entry.
    /// - Parameters:
    ///   - journal: the inputs.
    ///   - sourceOrdinal: the ordinal of the source's last handled event.
    ///   - odometerMeters: the odometer reading after the inputs, metres.
    ///   - odometerErrorMeters: the half width of its 95 % interval, metres, ≥ 0.
    public init(_ journal: InputJournal, sourceOrdinal: Int64, odometerMeters: Double, odometerErrorMeters: Double) {
        self.sourceOrdinal = sourceOrdinal
        self.odometerMeters = odometerMeters
        self.odometerErrorMeters = odometerErrorMeters
        self.journal = journal.bytes[...]
    }

    /// Decodes an entry.
    /// - Throws: ``InputJournalError`` if the bytes are not an entry.
    public init(bytes: [UInt8]) throws(InputJournalError) {
        var reader = InputJournalReader(bytes: bytes)
        sourceOrdinal = try reader.readSigned()
        odometerMeters = Double(try reader.readSigned()) / 10
        odometerErrorMeters = Double(try reader.readSigned()) / 10
        journal = bytes[reader.offset...]
    }

    /// The encoded entry.
    public var bytes: [UInt8] {
        var writer = InputJournalWriter(bytes: [])
        writer.put(signed: sourceOrdinal)
        writer.put(signed: Self.tenths(of: odometerMeters))
        writer.put(signed: Self.tenths(of: odometerErrorMeters))
        return writer.bytes + journal
    }

    /// The inputs, or those before the first unreadable one.
    public var inputs: (readable: [TrackerInput], areComplete: Bool) {
        let (inputs, damage) = InputJournal.readableInputs(in: journal)
        return (inputs, damage == nil)
    }

    /// Returns a distance in tenths of a metre; 0 if it does not fit, since an odometer can be set to any value.
    private static func tenths(of meters: Double) -> Int64 { Int64(exactly: (meters * 10).rounded()) ?? 0 }
}
