import CivilTime
import Wire

/// The page about a capture, put together from its drawings.
struct HTMLReport {
    let deviceID: String
    let summary: AnalysisSummary
    let places: [TrackPlace]
    /// The newest revision of each, ordered by their start.
    let events: [TimelineEventRevision]
    /// How many earlier ones there were.
    var omittedEvents = 0

    var page: String {
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
            \(HTMLStyle.sheet)
            </style>
            </head>
            <body>
            <main>
            <h1>\(name)</h1>
            \(facts)
            \(section("Track", TrackDrawing(places: places, timeline: EventLookup(events: events)).svg))
            \(section("Days", DayDrawing(events: events).svg))
            \(section("Speed", speed.svg))
            \(section("Odometer", odometer.svg))
            \(table)
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

    private var facts: String {
        guard let first = summary.firstTime, let last = summary.lastTime else {
            return "<p>There are no positions in this capture.</p>"
        }
        let transports = events.filter { $0.type == "IN_TRANSPORT" }
        let moving = transports.reduce(0) { $0 + $1.duration }
        let stops = events.filter { $0.type == "STATIONARY" }
        let offGrid = events.filter { $0.type == "OFF_THE_GRID" }
        let facts = [
            ("from", Text.time(first)), ("to", Text.time(last)),
            ("distance", Text.distance(summary.odometer.meters, error: summary.odometer.errorMeters)),
            ("on the way", Text.duration(seconds: moving)), ("stops", "\(stops.count)"),
            ("off the grid", Text.duration(seconds: offGrid.reduce(0) { $0 + $1.duration })),
        ]
        return "<dl>"
            + facts.map { "<div><dt>\($0)</dt><dd>\(Markup.escaped($1))</dd></div>" }.joined() + "</dl>"
    }

    // MARK: Curves

    /// A vehicle that says nothing for longer than this has no speed that could be drawn, seconds.
    private var longestSilenceSeconds: Double {
        guard let first = places.first, let last = places.last else { return 0 }
        return max(180, last.time.seconds(since: first.time) / 400)
    }

    /// A parked vehicle is seldom heard of: while the timeline says that it stood its speed is 0.
    private var speed: CurveDrawing {
        let stays = events.filter { $0.type == "STATIONARY" }
        var samples: [CurveDrawing.Sample] = []
        for place in places where place.speed >= 0 {
            var heard = samples.last?.time ?? place.time
            if place.time.seconds(since: heard) > longestSilenceSeconds,
                let stay = stays.last(where: { $0.startDate < place.time && heard < $0.endDate ?? .latest })
            {
                let begin = max(stay.startDate, heard)
                let end = min(stay.endDate ?? place.time, place.time)
                samples.append(sample(0, at: begin, after: heard))
                samples.append(CurveDrawing.Sample(time: end, value: 0))
                heard = end
            }
            samples.append(sample(place.speed * 3.6, at: place.time, after: heard))
        }
        return curve("speed", unit: "km/h", style: "curve", leastTop: 10, samples)
    }

    private func sample(_ value: Double, at time: Timestamp, after heard: Timestamp) -> CurveDrawing.Sample {
        CurveDrawing.Sample(time: time, value: value, isBreak: time.seconds(since: heard) > longestSilenceSeconds)
    }

    private var odometer: CurveDrawing {
        let samples = places.map {
            CurveDrawing.Sample(time: $0.time, value: $0.odometer / 1000, margin: $0.odometerError / 1000)
        }
        return curve("odometer, with what it can be off", unit: "km", style: "curve second", leastTop: 0.1, samples)
    }

    private func curve(
        _ name: String, unit: String, style: String, leastTop: Double, _ samples: [CurveDrawing.Sample]
    ) -> CurveDrawing {
        let times = places.map(\.time)
        let from = times.min() ?? Timestamp(millisecondsSinceEpoch: 0)
        return CurveDrawing(
            name: name, unit: unit, style: style, samples: samples, from: from, to: times.max() ?? from,
            leastTop: leastTop)
    }

    // MARK: Table

    private var table: String {
        guard !events.isEmpty else { return "" }
        let heads = ["#", "from", "to", "lasted", "what", "km", "where", "tag"]
        var stop = 0
        var rows = ""
        for event in events {
            if event.type == "STATIONARY" { stop += 1 }
            let cells = [
                event.type == "STATIONARY" ? "\(stop)" : "", Text.time(event.startDate),
                TimelineText.end(of: event, zone: .utc), Text.duration(seconds: event.duration),
                TimelineText.what(event), event.distanceInMeters.map { ($0 / 1000).text(decimals: 2) } ?? "",
                TimelineText.place(event), event.tag ?? "",
            ]
            rows += "<tr class=\"\(TimelineEventType(event).style)\">"
            rows += cells.enumerated().map { "<td class=\"c\($0)\">\(Markup.escaped($1))</td>" }.joined() + "</tr>\n"
        }
        let note = omittedEvents > 0 ? "<p>\(Text.grouped(omittedEvents)) earlier events are left out.</p>" : ""
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
