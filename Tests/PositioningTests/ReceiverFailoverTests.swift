import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing
import OdographTracking

@testable import OdographPositioning

@Suite("Two receivers at one gpsd", .timeLimit(.minutes(5)))
struct ReceiverFailoverTests {
    private static func tpv(_ device: String, _ second: Int, mode: Int = 3) -> String {
        #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"2026-11-21T09:00:\#(second / 10)\#(second % 10)Z","#
            + #""lat":\#(device == "a" ? 40 : 41),"lon":-3}"# + "\n"
    }

    /// Returns the words of a session for a drawing with a letter for each second: `a`, `b`: a position of that
    /// receiver, `2`: of both, `n`: a without a position, b with one, `q`: both without one, `x`, `m`: only a, only b
    /// without one, `0`, `c`: only a, only b in mode 0, `u`: a is unplugged, `P`, `B`: gpsd has a, b, `.`: no report.
    private static func words(_ drawing: String, wanted: String? = nil) -> [String] {
        var settings = GPSDSettings()
        settings.device = wanted
        settings.silenceTimeoutSeconds = 5
        var session = GPSDSession(settings)
        let start = Timestamp(millisecondsSinceEpoch: 1_795_251_600_000)
        session.handleConnect(at: ClockReading(replayed: start))
        var words: [String] = []
        // Two seconds after the last report its cycle counts as complete.
        let times = (0..<drawing.count).map(Double.init) + [Double(drawing.count) + 1.5]
        for (time, letter) in zip(times, Array(drawing) + ["."]) {
            let second = Int(time)
            let now = ClockReading(replayed: start.advanced(bySeconds: time))
            let give: (SourceEvent) -> Void = { event in
                switch event.content {
                case .fix(let fix), .undatedFix(let fix):
                    let taken = Int(fix.received.uptimeMilliseconds - start.millisecondsSinceEpoch) / 1000
                    words.append("\(fix.coordinate.latitudeDegrees == 40 ? "a" : "b")\(taken)")
                case .signals: words.append("signals\(second)")
                case .state(let state, at: _, detail: _): words.append("\(state.rawValue)\(second)")
                }
            }
            let lines =
                switch letter {
                case "a", "b": tpv(String(letter), second)
                case "2": tpv("a", second) + tpv("b", second)
                case "n": tpv("a", second, mode: 1) + tpv("b", second)
                case "q": tpv("a", second, mode: 1) + tpv("b", second, mode: 1)
                case "x": tpv("a", second, mode: 1)
                case "m": tpv("b", second, mode: 1)
                case "0": tpv("a", second, mode: 0)
                case "c": tpv("b", second, mode: 0)
                case "P": #"{"class":"DEVICE","path":"a","activated":1}"# + "\n"
                case "B": #"{"class":"DEVICE","path":"b","activated":1}"# + "\n"
                case "u": #"{"class":"DEVICE","path":"a","activated":0}"# + "\n"
                default: ""
                }
            session.receive(Array(lines.utf8), at: now, emit: give)
            _ = session.checkTimeouts(at: now, emit: give)
        }
        return words
    }

    @Test(
        "The session uses one receiver, and the other only after the silence timeout of the first",
        arguments: [
            // Both report: the first one with a position is used.
            ("222", ["available0", "a0", "a1", "a2"]),
            // The first falls silent: six seconds later the other is used, and stays in use.
            ("2bbbbbbb2", ["available0", "a0", "b6", "b7", "b8"]),
            // The first loses its position: there is no fix until the timeout.
            ("2nnnnnnn", ["available0", "a0", "no_fix1", "available6", "b6", "b7"]),
            // The first is unplugged: the other is used at once.
            ("22ubb", ["available0", "a0", "a1", "lost2", "available3", "b3", "b4"]),
            // Both are silent.
            ("2......", ["available0", "a0", "lost5"]),
            // The first is gone or silent, and the other has no position: the source stays lost, until the first one is
            // back or the other one has a position.
            ("BP2ummmmxa", ["available2", "a2", "lost3", "no_fix8", "available9", "a9"]),
            ("BP2mmmmmmmmb", ["available2", "a2", "lost8", "available11", "b11"]),
            ("BP2ccccccccx", ["available2", "a2", "lost7", "no_fix11"]),
            // Both are there without a position: the first one is not silent.
            ("2qqqqqqqq2", ["available0", "a0", "no_fix1", "available9", "a9"]),
            // A receiver that appears after the loss may be the lost one under another name.
            ("aaumb", ["available0", "a0", "a1", "lost2", "no_fix3", "available4", "b4"]),
            // Mode 0 between positions has no meaning; for long it is no position.
            ("a0a000000a", ["available0", "a0", "a2", "no_fix8", "available9", "a9"]),
        ])
    func drawing(_ drawing: String, expected: [String]) {
        #expect(Self.words(drawing) == expected)
    }

    @Test("A configured receiver is used exclusively")
    func configured() {
        #expect(Self.words("2bbbbbbbb2", wanted: "a") == ["available0", "a0", "lost5", "available9", "a9"])
        #expect(Self.words("aab2", wanted: "b") == ["available2", "b2", "b3"])
    }

    @Test(
        "With a real gpsd the other receiver's positions arrive after the first is unplugged or falls silent",
        arguments: [true, false])
    func real(hangsUp: Bool) async throws {
        let folder = try TemporaryFolder()
        let now = SystemAgentClock().now().systemTime
        let short = try folder.write(NMEADrive(start: now).log(seconds: 15), to: "short.nmea")
        let long = try folder.write(NMEADrive(start: now, firstThousandths: 30_000).log(seconds: 400), to: "long.nmea")
        let daemon = try await GPSDaemon(logs: [short, long], lineMilliseconds: 50, hangsUp: hangsUp)
        defer { daemon.stop() }
        var settings = GPSDSettings()
        settings.port = daemon.port
        settings.silenceTimeoutSeconds = 2
        let source = GPSDSource(settings, clock: SystemAgentClock())
        var receivers: [String] = []
        for try await event in source.events() {
            guard let fix = event.fix else { continue }
            let receiver = fix.coordinate.latitudeDegrees < 48.25 ? "short" : "long"
            if receivers.last != receiver { receivers.append(receiver) }
            // Either log may give the first position. The short one ends, and the long one continues.
            if receiver == "long", daemon.logsToGo < 2 { break }
            try #require(daemon.logsToGo > 0, "the long one was never heard")
        }
        // From one to the other and not back: a track that jumps between them would be worse than either.
        #expect(receivers == ["short", "long"] || receivers == ["long"])
    }
}
