import Odograph
import OdographTerminal

/// Writes one JSON object per line.
struct JSONLinesWriter: AnalysisWriter {
    func header() -> [UInt8] { [] }

    func bytes(of record: Analyzer.Record) -> [UInt8] {
        RecordLine.line(record.message.channel, payload: record.payload)
    }

    func footer(of summary: AnalysisSummary) -> [UInt8] { [] }
}
