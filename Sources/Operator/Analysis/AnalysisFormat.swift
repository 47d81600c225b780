/// The output format of an analysis.
public enum AnalysisFormat: String, CaseIterable, Sendable {
    /// One JSON object per line: `{"channel": …, "payload": …}`.
    case jsonl
    /// A text table.
    case table
    /// A GeoJSON FeatureCollection (RFC 7946): one Point per record, and the track as a LineString.
    case geojson
    /// One self-contained HTML page: the track, the days, the charts and the events.
    case html

    /// Returns a writer for this format.
    public func makeWriter() -> any AnalysisWriter {
        switch self {
        case .jsonl: JSONLinesWriter()
        case .table: TableWriter()
        case .geojson: GeoJSONWriter()
        case .html: HTMLWriter()
        }
    }
}
