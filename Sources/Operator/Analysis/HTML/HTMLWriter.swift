import Odograph
import CivilTime
import Wire

/// One self-contained page about a capture: the track, the days, the curves and the events, as drawings that need no script and no network.
///
/// It keeps a few thousand points and events of a capture of any length, and says so where that was not all.
struct HTMLWriter: AnalysisWriter {
    /// More points than a screen has columns show nothing more.
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

/// What the drawings need of a location.
struct PlottedPoint: Hashable, Sendable {
    let time: Timestamp
    let latitude: Double
    let longitude: Double
    /// m/s; −1 where it is not known.
    let speed: Double
    /// Metres.
    let odometer: Double
    let odometerError: Double

    init(_ location: LocationEvent) {
        time = location.timestamp
        latitude = location.coords.latitude
        longitude = location.coords.longitude
        speed = location.coords.speed
        odometer = location.odometer
        odometerError = location.odometerError
    }
}
