import OdographTerminal

/// Writes all records as they came, one per line, with their channels.
struct RecordLineWriter: RecordWriter {
    var isTrack: Bool { false }

    func header() -> [UInt8] { [] }

    func bytes(of record: ArchivedRecord) -> [UInt8] { RecordLine.line(record.channel, payload: record.payload) }

    func footer() -> [UInt8] { [] }
}
