import OdographCivilTime
import OdographHarness
import OdographPositioning
import Testing
import OdographWire

@testable import Odograph
@testable import OdographOperator

@Suite("The analysis page")
struct AnalysisPageTests {
    /// A GPX track: 5 min parked, 10 min driving north at 15 m/s, 10 min parked.
    private static let capture = capture(reportsSpeed: false, from: 0)

    /// - Parameter first: The number of seconds to omit from the start.
    private static func capture(reportsSpeed: Bool, from first: Int) -> String {
        var text = "<gpx version=\"1.1\"><trk><trkseg>\n"
        let begin = at("2026-11-20T08:00:00Z")
        var latitude = 40.0
        for second in first..<1500 {
            let isDriving = (300..<900).contains(second)
            if isDriving { latitude += 15 / 111_035.0 }
            let time = begin.advanced(bySeconds: Double(second)).iso8601
            let speed = reportsSpeed ? "<speed>\(isDriving ? 15 : 0)</speed>" : ""
            text += "<trkpt lat=\"\(latitude)\" lon=\"-3.0\"><time>\(time)</time>\(speed)</trkpt>\n"
        }
        return text + "</trkseg></trk></gpx>\n"
    }

    private func analyze(
        _ format: AnalysisFormat, of capture: String = capture, device: String = "van-7", tracking: String = "{}"
    ) throws -> (text: String, events: [TimelineEventRevision]) {
        let folder = try TemporaryFolder()
        let path = try folder.write(capture, to: "drive.gpx")
        var settings = AnalysisSettings()
        settings.deviceID = device
        settings.tracking = try ScheduleFixture.settings(tracking)
        var analyzer = try Analyzer(capture: ReplaySettings(path: path), settings: settings)
        var writer = format.makeWriter()
        var bytes = writer.header()
        var events: [TimelineEventRevision] = []
        while let record = try analyzer.next() {
            bytes += try writer.bytes(of: record)
            if let event = record.message.timelineEvent { events.append(event) }
        }
        bytes += try writer.footer(of: analyzer.summary)
        return (String(decoding: bytes, as: UTF8.self), events)
    }

    @Test("The track's start and end are marked at their positions")
    func ends() throws {
        let page = try analyze(.html).text
        let marks = page.matches(of: #/<circle class="end" cx="([\d.]+)" cy="([\d.]+)"/#).compactMap { Double($0.2) }
        // The vehicle drives north, which is up on the page.
        #expect(marks.count == 2 && marks[0] > marks[1] + 50, "\(marks)")
    }

    @Test("The records contain the final revision of every event, and update times never decrease")
    func finals() throws {
        let events = try analyze(.jsonl).events
        let newest = Dictionary(events.map { ($0.eventID, $0) }) { $1 }
        #expect(newest.values.allSatisfy { !$0.isProvisional && $0.endDate != nil })
        let inOrder = newest.values.sorted { $0.startDate < $1.startDate }
        #expect(zip(inOrder, inOrder.dropFirst()).allSatisfy { $0.endDate == $1.startDate })
        #expect(inOrder.first?.startDate == at("2026-11-20T08:00:00Z"))
        #expect(inOrder.last?.endDate == at("2026-11-20T08:24:59Z"))
        #expect(inOrder.contains { $0.type == .inTransport } && inOrder.contains { $0.type == .stationary })
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.lastUpdateDate <= $1.lastUpdateDate })
    }

    @Test("The page is one file without script or network access, is reproducible, and contains all its parts")
    func page() throws {
        let page = try analyze(.html).text
        let again = try analyze(.html).text
        #expect(page == again)
        for word in ["<script", "http:", "https:", "url(", "@import", "<img", "<link"] {
            #expect(!page.contains(word), "\(word)")
        }
        for part in [
            "<title>Timeline of van-7</title>", "Track", "Days", "Odometer", "Events", "prefers-color-scheme",
            "aria-label=\"the track, north is up\"",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        #expect(page.components("<svg") == page.components("</svg>"))
        #expect(page.components("<svg") == 3)
        #expect(!page.contains("nan") && !page.contains("inf "))
    }

    @Test("The facts of the page equal the summary, up to the last position")
    func facts() throws {
        let page = try analyze(.html).text
        #expect(page.contains("<dt>from</dt><dd>2026-11-20 08:00:00</dd>"))
        #expect(page.contains("<dt>to</dt><dd>2026-11-20 08:24:59</dd>"))
        #expect(page.contains("<dt>stops</dt><dd>2</dd>"))
    }

    @Test("The speed curve continues through stops, which have no records")
    func parkedCurve() throws {
        let page = try analyze(.html, of: Self.capture(reportsSpeed: true, from: 0)).text
        #expect(page.components("<path class=\"curve\"") == 1)
    }

    @Test("The axes of a vehicle that never moved have distinct labels")
    func parkedAxes() throws {
        let page = try analyze(.html, of: Self.capture(reportsSpeed: true, from: 900)).text
        #expect(page.components(">0.00</text>") == 1 && page.components(">0.10</text>") == 1)
    }

    @Test("The schedule applies: private time publishes no position, and the event times are continuous")
    func privateTime() throws {
        let tracking = "{ schedule: '0-2,15-59 * * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }"
        let (text, events) = try analyze(.jsonl, tracking: tracking)
        let lines = text.split(separator: "\n").filter { $0.contains("\"coords\"") }
        #expect(!lines.isEmpty)
        for minute in 4...14 {
            let word = "\"timestamp\":\"2026-11-20T08:\(minute < 10 ? "0" : "")\(minute):"
            #expect(lines.allSatisfy { !$0.contains(word) })
        }
        let newest = Dictionary(events.map { ($0.eventID, $0) }) { $1 }.values.sorted { $0.startDate < $1.startDate }
        #expect(zip(newest, newest.dropFirst()).allSatisfy { $0.endDate == $1.startDate })
        let hidden = newest.filter {
            at("2026-11-20T08:03:00Z") <= $0.startDate && $0.startDate < at("2026-11-20T08:15:00Z")
        }
        #expect(hidden.contains { $0.type == .inTransport })
        #expect(hidden.allSatisfy { $0.waypoints == nil && $0.location == nil })
        #expect(try analyze(.html, tracking: tracking).text.contains("track unknown"))
    }

    @Test("Text from outside is escaped")
    func escaped() throws {
        let page = try analyze(.html, device: "<b>&\"van\"</b>").text
        #expect(page.contains("Timeline of &lt;b&gt;&amp;&quot;van&quot;&lt;/b&gt;"))
        #expect(!page.contains("<b>"))
    }

    @Test("The table contains the events after the locations")
    func table() throws {
        let text = try analyze(.table).text
        let parts = text.split(separator: "\n\n")
        #expect(parts.count == 2)
        #expect(parts.last?.contains("stationary") == true && parts.last?.contains("by") == true)
    }

    @Test(
        "A line of any length keeps a bounded number of points, its first and its last, in order",
        arguments: [1, 7, 64, 65, 1000, 123_456])
    func decimated(count: Int) {
        var decimator = Decimator<Int>(capacity: 64) { first, _ in first }
        for number in 0..<count { decimator.append(number) }
        let points = decimator.points
        #expect(points.count <= 64 && points.count >= min(count, 32))
        #expect(points.first == 0 && points == points.sorted())
        #expect((points.last ?? 0) >= count - 1 - count / 16)
    }

    @Test("If there are too many events, the newest are kept, each with its newest revision")
    func bounded() {
        var collection = LatestEvents()
        for number in 0..<5000 {
            for end in [nil, "2026-11-21T09:15:02Z"] {
                collection.insert(.drawn("STATIONARY", "2026-11-20T09:15:02Z", end, id: "\(number)"))
            }
        }
        #expect(collection.sortedByStart.count == 2000 && collection.omittedCount == 3000)
        #expect(collection.sortedByStart.allSatisfy { !$0.isProvisional && (Int($0.eventID) ?? 0) >= 3000 })
    }

    @Test("Withdrawn events do not count as omitted")
    func withdrawn() {
        var collection = LatestEvents()
        for number in 0..<2500 {
            var event = TimelineEventRevision.drawn("STATIONARY", "2026-11-20T09:15:02Z", nil, id: "\(number)")
            collection.insert(event)
            event.withdrawn = true
            if number < 400 { collection.insert(event) }
        }
        #expect(collection.sortedByStart.count == 2000 && collection.omittedCount == 100)
    }

    @Test("An event that returns after it was withdrawn is there once")
    func returned() {
        var collection = LatestEvents()
        var event = TimelineEventRevision.drawn("STATIONARY", "2026-11-20T09:15:02Z", nil, id: "a")
        for isWithdrawn in [nil, true, nil, true, true, nil] {
            event.withdrawn = isWithdrawn
            collection.insert(event)
        }
        #expect(collection.sortedByStart.map(\.eventID) == ["a"])
        for number in 0..<2000 {
            collection.insert(.drawn("STATIONARY", "2026-11-20T09:15:02Z", nil, id: "\(number)"))
        }
        #expect(collection.sortedByStart.count == 2000 && collection.omittedCount == 1)
    }
}

extension String {
    /// Returns the number of occurrences of a text.
    fileprivate func components(_ text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
