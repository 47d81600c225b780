/// The output format of an export.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// A track of GPX 1.1.
    case gpx
    /// A FeatureCollection of GeoJSON (RFC 7946): one Point for each position.
    case geojson
    /// A table of positions with commas (RFC 4180), for spreadsheets and databases.
    case csv
    /// All records as they came, one JSON object per line: `{"channel": …, "payload": …}`.
    case jsonl

    /// Returns a writer for this format.
    func makeWriter(for vehicle: ArchivedVehicle) -> any RecordWriter {
        switch self {
        case .gpx: GPXWriter(vehicle)
        case .geojson: PointWriter()
        case .csv: PositionTableWriter(vehicle)
        case .jsonl: RecordLineWriter()
        }
    }
}

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
