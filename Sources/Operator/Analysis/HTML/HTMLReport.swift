import Odograph
import CivilTime
import Wire

/// The HTML page about a capture.
struct HTMLReport {
    let deviceID: String
    let summary: AnalysisSummary
    let points: [PlottedPoint]
    /// The newest revision of each event, ordered by start.
    let events: [TimelineEventRevision]
    /// The number of earlier events that are not in `events`.
    var omittedEvents = 0

    var html: String {
        let name = Markup.escaped("Timeline of \(deviceID)")
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(name)</title>
            <style>
            \(HTMLStyle.styleSheet)
            </style>
            </head>
            <body>
            <main>
            <h1>\(name)</h1>
            \(summaryList)
            \(section("Track", TrackMap(points: points, timeline: TimelineIndex(events: events)).svg))
            \(section("Days", DayChart(events: events).svg))
            \(section("Speed", speedChart.svg))
            \(section("Odometer", odometerChart.svg))
            \(eventSection)
            <footer>Made by odograph \(Build.version). Times are UTC.</footer>
            </main>
            </body>
            </html>

            """
    }

    private func section(_ title: String, _ drawing: String) -> String {
        drawing.isEmpty ? "" : "<section><h2>\(title)</h2>\n\(drawing)</section>"
    }

    // MARK: Numbers

    private var summaryList: String {
        guard let first = summary.firstTime, let last = summary.lastTime else {
            return "<p>There are no positions in this capture.</p>"
        }
        let transports = events.filter { $0.type == "IN_TRANSPORT" }
        let moving = transports.reduce(0) { $0 + $1.duration }
        let stops = events.filter { $0.type == "STATIONARY" }
        let offGrid = events.filter { $0.type == "OFF_THE_GRID" }
        let facts = [
            ("from", Format.time(first)), ("to", Format.time(last)),
            ("distance", Format.distance(summary.odometer.meters, error: summary.odometer.errorMeters)),
            ("on the way", Format.duration(seconds: moving)), ("stops", "\(stops.count)"),
            ("off the grid", Format.duration(seconds: offGrid.reduce(0) { $0 + $1.duration })),
        ]
        return "<dl>"
            + facts.map { "<div><dt>\($0)</dt><dd>\(Markup.escaped($1))</dd></div>" }.joined() + "</dl>"
    }

    // MARK: Curves

    /// The longest time between two samples over which the speed curve continues, seconds.
    private var maximumGapSeconds: Double {
        guard let first = points.first, let last = points.last else { return 0 }
        return max(180, last.time.seconds(since: first.time) / 400)
    }

    /// The speed over time. A parked vehicle has few records, so the speed is 0 while the timeline says stationary.
    private var speedChart: TimeSeriesChart {
        let stays = events.filter { $0.type == "STATIONARY" }
        var samples: [TimeSeriesChart.Sample] = []
        for place in points where place.speed >= 0 {
            var heard = samples.last?.time ?? place.time
            if place.time.seconds(since: heard) > maximumGapSeconds,
                let stay = stays.last(where: { $0.startDate < place.time && heard < $0.endDate ?? .latest })
            {
                let begin = max(stay.startDate, heard)
                let end = min(stay.endDate ?? place.time, place.time)
                samples.append(sample(0, at: begin, after: heard))
                samples.append(TimeSeriesChart.Sample(time: end, value: 0))
                heard = end
            }
            samples.append(sample(place.speed * 3.6, at: place.time, after: heard))
        }
        return chart("speed", unit: "km/h", cssClass: "curve", minimumAxisTop: 10, samples)
    }

    private func sample(_ value: Double, at time: Timestamp, after heard: Timestamp) -> TimeSeriesChart.Sample {
        TimeSeriesChart.Sample(time: time, value: value, hasGapBefore: time.seconds(since: heard) > maximumGapSeconds)
    }

    private var odometerChart: TimeSeriesChart {
        let samples = points.map {
            TimeSeriesChart.Sample(time: $0.time, value: $0.odometer / 1000, uncertainty: $0.odometerError / 1000)
        }
        return chart(
            "odometer, with what it can be off", unit: "km", cssClass: "curve second", minimumAxisTop: 0.1, samples)
    }

    private func chart(
        _ name: String, unit: String, cssClass: String, minimumAxisTop: Double, _ samples: [TimeSeriesChart.Sample]
    ) -> TimeSeriesChart {
        let times = points.map(\.time)
        let from = times.min() ?? Timestamp(millisecondsSinceEpoch: 0)
        return TimeSeriesChart(
            name: name, unit: unit, cssClass: cssClass, samples: samples, from: from, to: times.max() ?? from,
            minimumAxisTop: minimumAxisTop)
    }

    // MARK: Table

    private var eventSection: String {
        guard !events.isEmpty else { return "" }
        let heads = ["#", "from", "to", "lasted", "what", "km", "where", "tag"]
        var stop = 0
        var rows = ""
        for event in events {
            if event.type == "STATIONARY" { stop += 1 }
            let cells = [
                event.type == "STATIONARY" ? "\(stop)" : "", Format.time(event.startDate),
                TimelineFormatter.endText(of: event, zone: .utc), Format.duration(seconds: event.duration),
                TimelineFormatter.activityText(event),
                event.distanceInMeters.map { ($0 / 1000).formatted(decimals: 2) } ?? "",
                TimelineFormatter.placeText(event), event.tag ?? "",
            ]
            rows += "<tr class=\"\(TimelineEventCategory(event).cssClass)\">"
            rows += cells.enumerated().map { "<td class=\"c\($0)\">\(Markup.escaped($1))</td>" }.joined() + "</tr>\n"
        }
        let note = omittedEvents > 0 ? "<p>\(Format.grouped(omittedEvents)) earlier events are left out.</p>" : ""
        return """
            <section><h2>Events</h2>\(note)
            <div class="wide"><table>
            <thead><tr>\(heads.enumerated().map { "<th class=\"c\($0)\">\($1)</th>" }.joined())</tr></thead>
            <tbody>
            \(rows)</tbody>
            </table></div></section>
            """
    }
}
