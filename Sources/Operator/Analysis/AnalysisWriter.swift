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
