import Odograph
import OdographCivilTime
import OdographWire

/// Writes one page about a capture: the track, the days, the charts and the events. It needs no script or network.
///
/// It keeps at most a few thousand points and events. The page states the number of omitted events.
struct HTMLWriter: AnalysisWriter {
    /// The maximum number of points: more than a screen has pixel columns adds no detail.
    private static let maximumPoints = 4000

    private var deviceID = ""
    private var points = Decimator<PlottedPoint>(capacity: maximumPoints) { $0.speed >= $1.speed ? $0 : $1 }
    private var events = LatestEvents()

    func header() -> [UInt8] { [] }

    mutating func bytes(of record: Analyzer.Record) -> [UInt8] {
        switch record.message {
        case .location(let message):
            deviceID = message.deviceID
            points.append(PlottedPoint(message.location))
        case .timeline(let message):
            deviceID = message.deviceID
            events.insert(message.timelineEvent)
        }
        return []
    }

    func footer(of summary: AnalysisSummary) -> [UInt8] {
        let report = HTMLReport(
            deviceID: deviceID, summary: summary, points: points.points, events: events.sortedByStart,
            omittedEvents: events.omittedCount)
        return Array(report.html.utf8)
    }
}
