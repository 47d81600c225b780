import OdographCivilTime
import Glibc
import OdographHarness
import OdographModel
import OdographThreads
import Testing
import OdographTracking

@testable import OdographPositioning

@Suite("The gpsd client", .timeLimit(.minutes(5)))
struct GPSDClientTests {
    private static let version = #"{"class":"VERSION","release":"3.22"}"# + "\n"

    private static func tpv(_ second: Int) -> String {
        let padded = second < 10 ? "0\(second)" : "\(second)"
        return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T09:15:\#(padded)Z","lat":40,"lon":-3}"#
            + "\n"
    }

    private static func settings(port: UInt16, silenceSeconds: Double = 0.4) -> GPSDSettings {
        var settings = GPSDSettings()
        settings.port = port
        settings.silenceTimeoutSeconds = silenceSeconds
        settings.minimumReconnectSeconds = 0.05
        settings.maximumReconnectSeconds = 0.1
        return settings
    }

    /// Returns the first events of a source as words. The time limit of the suite limits the wait.
    /// - Parameter heard: Called with each word.
    private static func words(
        of source: GPSDSource, count: Int, heard: (String) throws -> Void = { _ in }
    ) async throws -> [String] {
        var words: [String] = []
        for try await event in source.events() {
            switch event.content {
            case .fix(let fix): words.append("fix \(fix.timestamp.secondsSinceEpoch % 60)")
            case .undatedFix: words.append("undated")
            case .signals: words.append("signals")
            case .state(let state, at: _, detail: _): words.append(state.rawValue)
            }
            if let word = words.last { try heard(word) }
            if words.count == count { break }
        }
        return words
    }

    @Test("A missing gpsd is reported as lost once, and found when it starts")
    func refusal() async throws {
        let port = try FreePort.next()
        let source = GPSDSource(Self.settings(port: port, silenceSeconds: 5), clock: SystemAgentClock())
        var server: ScriptedServer?
        let words = try await Self.words(of: source, count: 4) { word in
            guard word == "lost", server == nil else { return }
            server = try ScriptedServer(port: port, sends: [Array((Self.version + Self.tpv(1) + Self.tpv(2)).utf8)])
        }
        #expect(words == ["lost", "available", "fix 1", "fix 2"])
        server?.stop()
    }

    @Test("Every closed connection is reported as lost once, and opened again")
    func closing() async throws {
        let cut = Array((Self.version + "garbage\u{0}\n" + Self.tpv(1) + #"{"class":"TPV","mo"#).utf8)
        let server = try ScriptedServer(sends: [cut, Array(Self.tpv(2).utf8)], closes: true)
        let source = GPSDSource(Self.settings(port: server.port), clock: SystemAgentClock())
        #expect(
            try await Self.words(of: source, count: 6) == ["available", "fix 1", "lost", "available", "fix 2", "lost"])
        #expect(source.counters[.malformedLine] == 1)
        server.stop()
    }

    @Test("A silent receiver is reported as lost although gpsd is reachable")
    func silence() async throws {
        let server = try ScriptedServer(sends: [Array((Self.version + Self.tpv(1)).utf8)])
        let source = GPSDSource(Self.settings(port: server.port), clock: SystemAgentClock())
        #expect(try await Self.words(of: source, count: 3) == ["available", "fix 1", "lost"])
        server.stop()
    }

    @Test("A session gives the same fixes for any division of its bytes")
    func cutsInTime() throws {
        let bytes = Array((Self.version + Self.tpv(1) + "x\n" + Self.tpv(2)).utf8)
        let now = ClockReading(replayed: Timestamp(millisecondsSinceEpoch: 0))
        for cut in 0...bytes.count {
            var session = GPSDSession(GPSDSettings())
            session.handleConnect(at: now)
            var fixes = 0
            let give: (SourceEvent) -> Void = { event in
                if event.fix != nil { fixes += 1 }
            }
            session.receive(bytes[..<cut], at: now, emit: give)
            session.receive(bytes[cut...], at: now, emit: give)
            session.handleDisconnect(because: "end", at: now, emit: give)
            #expect(fixes == 2 && session.counters[.malformedLine] == 1, "cut at \(cut)")
        }
    }

    @Test("A removed receiver, a missing receiver and a silent gpsd have different details")
    func vanishing() {
        func details(_ lines: [String], after seconds: Int64 = 0) -> [String] {
            var session = GPSDSession(GPSDSettings())
            let start = ClockReading(replayed: Timestamp(millisecondsSinceEpoch: 0))
            session.handleConnect(at: start)
            var details: [String] = []
            let give: (SourceEvent) -> Void = { event in
                if case .state(_, at: _, let detail) = event.content { details.append(detail) }
            }
            for line in lines { session.receive(Array((line + "\n").utf8), at: start, emit: give) }
            let later = ClockReading(replayed: Timestamp(millisecondsSinceEpoch: seconds * 1000))
            _ = session.checkTimeouts(at: later, emit: give)
            return details
        }
        #expect(details([#"{"class":"DEVICES","devices":[]}"#]) == ["gpsd has no receiver"])
        #expect(
            details([Self.tpv(1), #"{"class":"DEVICE","path":"/dev/a","activated":0}"#]).last
                == "the receiver /dev/a disappeared from gpsd")
        let missing = #"{"class":"DEVICES","devices":[]}"#
        #expect(
            details([Self.tpv(1), #"{"class":"DEVICE","path":"/dev/a","activated":0}"#, missing, missing]).dropFirst()
                == ["the receiver /dev/a disappeared from gpsd", "gpsd has no receiver /dev/a"])
        #expect(details([], after: 10) == ["gpsd has sent nothing for 10.0 s"])
        #expect(details([Self.tpv(1)], after: 9).count == 1)
        #expect(details([Self.tpv(1)], after: 10).last == "/dev/a has reported nothing for 10.0 s")
    }

    @Test("A wake-up ends a slow connection attempt only if the client was stopped", arguments: [false, true])
    func wakeUpWhileConnecting(isStopped: Bool) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let port = try FreePort.bindLoopback(listener, port: 0)
        // The kernel answers no further attempt while the shortest possible queue is full.
        try #require(listen(listener, 0) == 0)
        let queued = (0..<4).map { _ in FreePort.beginConnecting(to: port) }
        defer { for descriptor in queued + [listener] { close(descriptor) } }
        let wakeUp = try #require(PollWaker())
        wakeUp.wake()
        let failure = #expect(throws: TCPConnection.Failure.self) {
            _ = try TCPConnection.connected(
                to: "127.0.0.1", port: port, wakeUp: wakeUp, isStopped: { isStopped }, timeoutMilliseconds: 100)
        }
        #expect(failure?.isWokenUp == isStopped)
        #expect(failure?.reason == (isStopped ? "stopped" : "no response"))
    }
}
