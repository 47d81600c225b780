import Odograph

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

/// Writes the records of an analysis in order.
public protocol AnalysisWriter {
    /// Returns the bytes before the first record.
    mutating func header() -> [UInt8]
    /// Returns the bytes of a record.
    mutating func bytes(of record: Analyzer.Record) throws -> [UInt8]
    /// Returns the bytes after the last record.
    /// - Parameter summary: the summary of all records.
    mutating func footer(of summary: AnalysisSummary) throws -> [UInt8]
}
