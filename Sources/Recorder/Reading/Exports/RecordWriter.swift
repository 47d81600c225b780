/// Writes the records of a vehicle in the order of their times.
protocol RecordWriter {
    /// Whether the format has positions only, and no revisions of the timeline.
    var isTrack: Bool { get }

    /// Returns the bytes before the first record.
    func header() -> [UInt8]
    /// Returns the bytes of a record.
    mutating func bytes(of record: ArchivedRecord) throws -> [UInt8]
    /// Returns the bytes after the last record.
    func footer() -> [UInt8]
}
