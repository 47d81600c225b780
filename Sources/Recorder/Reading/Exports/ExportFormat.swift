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
