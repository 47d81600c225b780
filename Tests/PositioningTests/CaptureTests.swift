import OdographCivilTime
import Glibc
import OdographHarness
import OdographModel
import Testing
import OdographTracking

@testable import OdographPositioning

@Suite("Captures")
struct CaptureTests {
    private static func events(_ settings: ReplaySettings) throws -> ([SourceEvent], SourceCounters) {
        let reader = try CaptureReader(settings)
        var events: [SourceEvent] = []
        while let event = try reader.next() { events.append(event) }
        return (events, reader.counters)
    }

    private static func files(_ folder: String, endingIn suffix: String) -> [String] {
        guard let corpora = Corpora.folder, let directory = opendir(corpora + "/" + folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(suffix) { names.append("\(corpora)/\(folder)/\(name)") }
        }
        return names.sorted()
    }

    @Test("Every drive is read completely", .enabled(if: Corpora.exist), arguments: files("drives", endingIn: ".jsonl"))
    func drives(path: String) throws {
        let (events, counters) = try Self.events(ReplaySettings(path: path))
        #expect(counters[.malformedLine] == 0)
        #expect(counters.fixes + counters.skipped.values.reduce(0, +) == counters.linesRead - 1)
        #expect(counters.fixes == events.compactMap(\.fix).count)
        #expect(
            events.compactMap(\.fix).allSatisfy { $0.isMock && $0.received == ClockReading(replayed: $0.timestamp) })
        #expect(events.map(\.ordinal) == (1...Int64(events.count)).map { $0 })
    }

    @Test(
        "gpsd's own expected output has no malformed line", .enabled(if: Corpora.exist),
        arguments: files("gpsd", endingIn: ".chk"))
    func expectedOutput(path: String) throws {
        do {
            let (_, counters) = try Self.events(ReplaySettings(path: path))
            // Logs of binary receivers are partly echoed. Only lines that begin like an object must be objects.
            #expect(counters[.malformedLine] == 0)
        } catch CaptureError.noPositions {
            #expect(path.contains("nofix") || path.contains("april6"))
        }
    }

    @Test(
        "Every GPX file gives fixes or a reason", .enabled(if: Corpora.exist),
        arguments: files("gpx", endingIn: ".gpx"))
    func gpx(path: String) throws {
        do {
            let (_, counters) = try Self.events(ReplaySettings(path: path))
            #expect(counters.fixes > 0)
        } catch let error as CaptureError {
            switch error {
            case .noTimes, .noTrackPoints: break
            default: Issue.record("\(error)")
            }
        }
    }

    @Test("A replay resumes after any event", .enabled(if: Corpora.exist))
    func resume() throws {
        let path = try #require(Self.files("drives", endingIn: "10hz.gpsd.jsonl").first)
        let (all, _) = try Self.events(ReplaySettings(path: path))
        for ordinal in [0, 1, 2, 100, all.count - 1, all.count, all.count + 5] {
            let (rest, _) = try Self.events(ReplaySettings(path: path, resumeAfterOrdinal: Int64(ordinal)))
            #expect(rest == Array(all.dropFirst(ordinal)))
        }
    }

    @Test("A file that is not a capture is refused by name")
    func refused() throws {
        let folder = try TemporaryFolder()
        func failure(_ content: [UInt8]) throws -> CaptureError? {
            let path = try folder.write(content, to: "capture")
            return #expect(throws: CaptureError.self) { _ = try Self.events(ReplaySettings(path: path)) }
        }
        let path = folder.file("capture")
        #expect(throws: CaptureError.notFound(path: folder.file("none"))) {
            _ = try CaptureReader(ReplaySettings(path: folder.file("none")))
        }
        #expect(throws: CaptureError.isDirectory(path: folder.path)) {
            _ = try CaptureReader(ReplaySettings(path: folder.path))
        }
        #expect(try failure([]) == .empty(path: path))
        #expect(try failure(Array("\n \n".utf8)) == .empty(path: path))
        #expect(
            try failure([0x1F, 0x8B, 8]) == .notACapture(path: path, looksLike: "a gzip archive (unpack it first)"))
        #expect(try failure([1, 0, 2]) == .notACapture(path: path, looksLike: "binary data"))
        #expect(
            try failure(Array("$GPGGA,1\n".utf8))
                == .notACapture(path: path, looksLike: "raw receiver sentences (NMEA)"))
        #expect(try failure(Array(#"{"class":"SKY"}"#.utf8)) == .noPositions(path: path, linesRead: 1, skipped: [:]))
        #expect(
            try failure(Array("<gpx>\n<trk></gpx>".utf8))
                == .malformedGPX(path: path, line: 2, column: 8, reason: "mismatched tag"))
        let bomb = #"<!DOCTYPE gpx [<!ENTITY a "a"><!ENTITY b "&a;&a;">]><gpx>&b;</gpx>"#
        guard case .malformedGPX = try failure(Array(bomb.utf8)) else {
            Issue.record("a document type was not refused")
            return
        }
        guard case .malformedGPX = try failure(Array((String(repeating: "<gpx>", count: 100_000)).utf8)) else {
            Issue.record("nesting was not refused")
            return
        }
    }

    @Test("A cut GPX file gives its positions and a remark, wherever it is cut")
    func cutGPX() throws {
        let folder = try TemporaryFolder()
        let head = #"<?xml version="1.0"?><gpx><trk><trkseg>"#
        func point(_ second: Int) -> String {
            "<trkpt lat=\"47\" lon=\"8.0\(second)\"><time>2026-11-20T07:00:0\(second)Z</time></trkpt>"
        }
        let whole = Array((head + point(1) + point(2) + "<!-- é --></trkseg></trk></gpx>").utf8)
        for end in (head + point(1)).utf8.count..<whole.count {
            let path = try folder.write(Array(whole[..<end]), to: "cut.gpx")
            let (events, counters) = try Self.events(ReplaySettings(path: path))
            #expect(events.compactMap(\.fix).count == (end < (head + point(1) + point(2)).utf8.count ? 1 : 2))
            #expect(counters.remark?.contains("cut") == true, "at \(end)")
        }
        let (_, counters) = try Self.events(ReplaySettings(path: try folder.write(whole, to: "whole.gpx")))
        #expect(counters.remark == nil)
    }

    @Test("A byte order mark costs no position, and a capture in UTF-16 is named so")
    func encodings() throws {
        let folder = try TemporaryFolder()
        let capture = (2...4).map { second in
            #"{"class":"TPV","mode":3,"time":"2026-11-21T09:15:0\#(second)Z","lat":1,"lon":2}"# + "\n"
        }.joined()
        func path(_ bytes: [UInt8]) throws -> String { try folder.write(bytes, to: "capture") }
        let (events, counters) = try Self.events(ReplaySettings(path: try path([0xEF, 0xBB, 0xBF] + capture.utf8)))
        #expect(events.compactMap(\.fix).count == 3 && counters.skipped.isEmpty)
        func little(_ text: String) -> [UInt8] { text.utf8.flatMap { byte -> [UInt8] in [byte, 0] } }
        let big = capture.utf8.flatMap { byte -> [UInt8] in [0, byte] }
        for bytes in [little(capture), big, [0xFF, 0xFE] + little(capture), [0xFE, 0xFF] + big] {
            let file = try path(bytes)
            #expect(throws: CaptureError.notACapture(path: file, looksLike: "text in UTF-16 (save it as UTF-8)")) {
                try Self.events(ReplaySettings(path: file))
            }
        }
        let track =
            #"<?xml version="1.0" encoding="UTF-16"?><gpx><trk><trkseg><trkpt lat="1" lon="2">"#
            + "<time>2026-11-20T07:00:01Z</time></trkpt></trkseg></trk></gpx>"
        #expect(try Self.events(ReplaySettings(path: path([0xFF, 0xFE] + little(track)))).1.fixes == 1)
    }

    @Test("A file that is cut within its last line has a remark")
    func cutLine() throws {
        let folder = try TemporaryFolder()
        let fix = #"{"class":"TPV","mode":3,"time":"2026-11-21T09:15:02Z","lat":1,"lon":2}"# + "\n"
        let (events, counters) = try Self.events(
            ReplaySettings(path: try folder.write(fix + fix.dropLast(20), to: "capture")))
        #expect(events.compactMap(\.fix).count == 1)
        #expect(counters.remark?.contains("cut") == true)
    }

    @Test(
        "A time in another form than ISO 8601 with a zone is named as the reason",
        arguments: [
            #""2026-11-24T08:00:01""#, "1763971201.5", #""yesterday""#, "null",
        ])
    func timeForm(time: String) throws {
        let folder = try TemporaryFolder()
        let line = #"{"class":"TPV","mode":3,"time":\#(time),"lat":1,"lon":2}"# + "\n"
        let path = try folder.write(line + line, to: "capture")
        let error = #expect(throws: CaptureError.self) { _ = try Self.events(ReplaySettings(path: path)) }
        #expect(error == .noPositions(path: path, linesRead: 2, skipped: [.badTime: 2]))
        #expect(error?.description.contains("2026-11-21T09:15:02.000Z") == true)
        let point = "<gpx><trk><trkpt lat='1' lon='2'><time>24.11.2026 08:00</time></trkpt></trk></gpx>"
        let track = try folder.write(point, to: "track.gpx")
        #expect(throws: CaptureError.noPositions(path: track, linesRead: 1, skipped: [.badTime: 1])) {
            _ = try Self.events(ReplaySettings(path: track))
        }
    }

    @Test("An overlong line is skipped and counted, and the other lines are read")
    func overlong() throws {
        let folder = try TemporaryFolder()
        let fix = #"{"class":"TPV","mode":3,"time":"2026-11-21T09:15:02Z","lat":1,"lon":2}"# + "\n"
        let next = fix.replacing("15:02Z", with: "15:03Z")
        let path = try folder.write(fix + String(repeating: "x", count: 1_000_000) + "\n" + next + "cut", to: "capture")
        let (events, counters) = try Self.events(ReplaySettings(path: path))
        #expect(events.compactMap(\.fix).count == 2)
        #expect(counters[.overlongLine] == 1)
        #expect(counters[.malformedLine] == 1)
    }

    @Test("A mutated capture never crashes the reader")
    func fuzz() {
        let line = Array(
            #"{"class":"TPV","device":"/dev/\u0041","mode":3,"time":"2026-11-21T09:15:02.5Z","lat":-1.5e1,"lon":2,"a":[{},1]}"#
                .utf8)
        var generator = SplitMix64(seed: 11)
        for _ in 0..<50_000 {
            var mutated = line
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<mutated.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: mutated[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: mutated.remove(at: place)
                default: mutated.insert(line[Int.random(in: 0..<line.count, using: &generator)], at: place)
                }
            }
            _ = mutated.withUnsafeBufferPointer { GPSDReport(line: $0) }
        }
    }
}
