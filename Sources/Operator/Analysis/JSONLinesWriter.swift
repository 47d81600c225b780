import Odograph
import OdographJSON
import OdographWire

/// Writes one JSON object per line.
package struct JSONLinesWriter: AnalysisWriter {
    private static let linePrefixes = Dictionary(
        uniqueKeysWithValues: UplinkChannel.allCases.map {
            ($0, Array("{\"channel\":\"\($0.rawValue)\",\"payload\":".utf8))
        })
    private static let lineSuffix = Array("}\n".utf8)

    /// Returns the line of a record.
    package static func line(_ channel: UplinkChannel, payload: [UInt8]) -> [UInt8] {
        (linePrefixes[channel] ?? []) + payload.jsonEscaped + lineSuffix
    }

    /// Returns the line of a record whose number another record has.
    package static func conflictLine(_ channel: UplinkChannel, payload: [UInt8]) -> [UInt8] {
        Array("{\"channel\":\"\(channel.rawValue)\",\"conflict\":true,\"payload\":".utf8) + payload.jsonEscaped
            + lineSuffix
    }

    package func header() -> [UInt8] { [] }

    package func bytes(of record: Analyzer.Record) -> [UInt8] {
        Self.line(record.message.channel, payload: record.payload)
    }

    package func footer(of summary: AnalysisSummary) -> [UInt8] { [] }
}
