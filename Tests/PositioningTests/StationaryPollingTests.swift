import OdographCivilTime
import OdographHarness
import OdographModel
import Testing
import OdographTracking

@testable import OdographPositioning

/// A session with a poll interval of five seconds for a stationary vehicle.
private struct Conversation {
    private(set) var session: GPSDSession
    private(set) var requests: [String] = []
    /// The seconds of the fixes, and the state changes.
    private(set) var words: [String] = []
    private var uptimeSeconds = 0.0

    init(pollSeconds: Double = 5, device: String? = nil) {
        var settings = GPSDSettings()
        settings.stationaryPollSeconds = pollSeconds
        settings.device = device
        session = GPSDSession(settings)
        session.handleConnect(at: now)
    }

    private var now: ClockReading {
        ClockReading(replayed: Timestamp(millisecondsSinceEpoch: Int64(uptimeSeconds * 1000)))
    }

    mutating func pass(seconds: Double) { uptimeSeconds += seconds }

    /// Does the work of the client's thread after a wake-up.
    mutating func turn(line: String? = nil, wish: FixRate? = nil) {
        var heard: [String] = []
        let give: (SourceEvent) -> Void = { event in
            switch event.content {
            case .fix(let fix): heard.append("\(fix.timestamp.secondsSinceEpoch % 60)")
            case .undatedFix: heard.append("undated")
            case .signals: heard.append("signals")
            case .state(let state, at: _, detail: _): heard.append(state.rawValue)
            }
        }
        if let line { session.receive(Array((line + "\n").utf8), at: now, emit: give) }
        if case .send(let request) = session.checkTimeouts(at: now, emit: give) { requests.append(request) }
        requests += session.requests(for: wish, at: now)
        words += heard
    }
}

private func tpv(_ second: Int, speed: Double = 0, device: String = "/dev/a") -> String {
    let time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000).advanced(bySeconds: Double(second)).iso8601
    return #"{"class":"TPV","device":"\#(device)","mode":3,"time":"\#(time)","lat":40,"lon":-3,"speed":\#(speed)}"#
}

private func poll(_ reports: String...) -> String {
    #"{"class":"POLL","time":"2026-11-21T09:15:00Z","active":1,"tpv":[\#(reports.joined(separator: ","))],"#
        + #""gst":[{"class":"GST","device":"/dev/a","lat":9.5}],"sky":[{"class":"SKY","satellites":[{"PRN":1}]}]}"#
}

@Suite("Position polls of a stationary vehicle", .timeLimit(.minutes(5)))
struct StationaryPollingTests {
    private static let stream = "?WATCH={\"enable\":true,\"json\":true};\n"
    private static let quiet = "?WATCH={\"enable\":true,\"json\":false};\n"
    private static let question = "?POLL;\n"

    @Test("The stream is stopped, each interval polls the last report, and an old report is used once")
    func standing() {
        var talk = Conversation()
        talk.turn(line: tpv(1), wish: .reduced)
        #expect(talk.requests == [Self.quiet])
        // Reports that were on their way still count.
        talk.turn(line: tpv(2))
        talk.pass(seconds: 4.9)
        talk.turn()
        #expect(talk.requests == [Self.quiet])
        talk.pass(seconds: 0.1)
        #expect(talk.session.deadlineUptimeMilliseconds == 5000)
        talk.turn()
        #expect(talk.requests == [Self.quiet, Self.question])
        talk.turn(line: poll(tpv(2)))
        talk.turn(line: poll(tpv(7), tpv(8, device: "/dev/b")))
        talk.turn(line: poll(tpv(7)))
        #expect(talk.words == ["available", "1", "2", "7"])
        talk.turn(wish: .full)
        #expect(talk.requests == [Self.quiet, Self.question, Self.stream])
    }

    @Test("A sign of movement restarts the stream, for half a minute if nothing confirms it")
    func movement() {
        var talk = Conversation()
        talk.turn(line: tpv(1), wish: .reduced)
        talk.pass(seconds: 5)
        talk.turn()
        talk.turn(line: poll(tpv(6, speed: 1.2)))
        #expect(talk.requests == [Self.quiet, Self.question, Self.stream])
        for second in 7..<36 {
            talk.pass(seconds: 1)
            talk.turn(line: tpv(second))
        }
        #expect(talk.requests.count == 3)
        talk.pass(seconds: 1)
        talk.turn(line: tpv(36))
        #expect(talk.requests.dropFirst(3) == [Self.quiet])
    }

    @Test("A receiver that repeats its report for too long is lost and streamed again, also one without a fix")
    func trouble() {
        var silent = Conversation()
        silent.turn(line: tpv(1), wish: .reduced)
        for _ in 0..<3 {
            silent.pass(seconds: 5)
            silent.turn()
            silent.turn(line: poll(tpv(1)))
        }
        #expect(silent.words == ["available", "1", "lost"])
        #expect(silent.requests.last == Self.stream)
        var blind = Conversation()
        blind.turn(line: tpv(1), wish: .reduced)
        blind.pass(seconds: 5)
        blind.turn()
        blind.turn(line: poll(#"{"class":"TPV","device":"/dev/a","mode":1}"#))
        #expect(blind.words == ["available", "1", "no_fix"])
        #expect(blind.requests.last == Self.stream)
        // A gpsd without its receiver answers with an empty list.
        var empty = Conversation()
        empty.turn(line: tpv(1), wish: .reduced)
        for _ in 0..<3 {
            empty.pass(seconds: 5)
            empty.turn()
            empty.turn(line: poll())
        }
        #expect(empty.words == ["available", "1", "lost"])
    }

    @Test("Without a poll interval, a first position or a receiver clock the stream continues")
    func streaming() {
        var off = Conversation(pollSeconds: 0)
        off.turn(line: tpv(1), wish: .reduced)
        var early = Conversation()
        early.turn(wish: .reduced)
        var timeless = Conversation()
        timeless.turn(line: #"{"class":"TPV","device":"/dev/a","mode":3,"lat":40,"lon":-3}"#, wish: .reduced)
        #expect(off.requests == [] && early.requests == [] && timeless.requests == [])
        early.turn(line: tpv(1))
        #expect(early.requests == [Self.quiet])
        var named = Conversation(device: "/dev/a")
        named.turn(line: tpv(1), wish: .reduced)
        #expect(named.requests == [#"?WATCH={"enable":true,"json":false,"device":"/dev/a"};"# + "\n"])
    }

    @Test("A real gpsd answers each poll with a new position")
    func realDaemon() async throws {
        let folder = try TemporaryFolder()
        let parked = NMEADrive(start: SystemAgentClock().now().systemTime, thousandthsPerSecond: 0)
        let log = try folder.write(parked.log(seconds: 300), to: "receiver.nmea")
        let daemon = try await GPSDaemon(log: log, lineMilliseconds: 100)
        defer { daemon.stop() }
        var settings = GPSDSettings()
        settings.port = daemon.port
        settings.stationaryPollSeconds = 2
        let source = GPSDSource(settings, clock: SystemAgentClock())
        var times: [Timestamp] = []
        for try await event in source.events() {
            guard let fix = event.fix else { continue }
            source.requestRate(.reduced)
            times.append(fix.timestamp)
            // The receiver's seconds pass faster than the agent's.
            let steps = zip(times.dropFirst(), times).map { $0.seconds(since: $1) }
            if steps.count(where: { $0 >= 2 }) >= 3 { break }
            try #require(times.count < 200, "the stream goes on")
        }
        #expect(times == times.sorted())
    }
}
