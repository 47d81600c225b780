import OdographJSON
import Wire

/// How the records of an analysis are written.
public enum AnalysisFormat: String, CaseIterable, Sendable {
    /// One JSON object a line: `{"channel": …, "payload": …}`.
    case jsonl
    /// A table for a person.
    case table
    /// A GeoJSON FeatureCollection (RFC 7946): a point a record, and the track as a LineString.
    case geojson
    /// One self-contained page: the track, the days, the curves and the events.
    case html

    /// What writes records this way.
    public func makeWriter() -> any AnalysisWriter {
        switch self {
        case .jsonl: JSONLinesWriter()
        case .table: TableWriter()
        case .geojson: GeoJSONWriter()
        case .html: HTMLWriter()
        }
    }
}

/// Writes the records of an analysis, one after the other.
public protocol AnalysisWriter {
    /// What stands before the first record.
    mutating func header() -> [UInt8]
    /// A record.
    mutating func bytes(of record: Analyzer.Record) throws -> [UInt8]
    /// What stands behind the last record.
    /// - Parameter summary: what all of it came to.
    mutating func footer(of summary: AnalysisSummary) throws -> [UInt8]
}

/// One JSON object a line.
struct JSONLinesWriter: AnalysisWriter {
    private static let linePrefixes = Dictionary(
        uniqueKeysWithValues: UplinkChannel.allCases.map {
            ($0, Array("{\"channel\":\"\($0.rawValue)\",\"payload\":".utf8))
        })
    private static let lineSuffix = Array("}\n".utf8)

    func header() -> [UInt8] { [] }

    func bytes(of record: Analyzer.Record) -> [UInt8] {
        (Self.linePrefixes[record.message.channel] ?? []) + record.payload.jsonEscaped + Self.lineSuffix
    }

    func footer(of summary: AnalysisSummary) -> [UInt8] { [] }
}
