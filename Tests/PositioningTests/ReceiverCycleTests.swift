import OdographCivilTime
import OdographHarness
import OdographModel
import Testing
import OdographTracking

@testable import OdographPositioning

/// A session with a receiver at a serial line, whose reports arrive when their sentences are complete.
private struct SerialReceiver {
    /// A report of a cycle: the bytes on the line before it, and its members. Without members it is one of satellites.
    typealias Step = (bytes: Int, members: String?)

    private static let start = Timestamp(millisecondsSinceEpoch: 1_795_251_600_000)
    let bitsPerSecond: Int
    private var session = GPSDSession(GPSDSettings())
    private(set) var fixes: [(fix: Fix, uptimeMilliseconds: Int64)] = []
    /// The arrival of the last position of each cycle, by its second.
    private(set) var lastArrivals: [Int: Int64] = [:]
    private var uptimeMilliseconds: Int64 = 0

    init(bitsPerSecond: Int) {
        self.bitsPerSecond = bitsPerSecond
        session.handleConnect(at: Self.reading(0))
    }

    private static func reading(_ uptime: Int64) -> ClockReading {
        ClockReading(
            systemTime: start.advanced(byMilliseconds: uptime), uptimeMilliseconds: uptime, isSystemTimeTrusted: true)
    }

    /// Passes time, with all decisions that become due.
    mutating func pass(until uptime: Int64) {
        while session.deadlineUptimeMilliseconds <= uptime {
            uptimeMilliseconds = max(uptimeMilliseconds, session.deadlineUptimeMilliseconds)
            check()
            // A probe of a silent gpsd moves the next deadline; a decision that stays due must not repeat here.
            if session.deadlineUptimeMilliseconds <= uptimeMilliseconds { break }
        }
        uptimeMilliseconds = uptime
        check()
    }

    private mutating func check() {
        let now = uptimeMilliseconds
        var heard: [Fix] = []
        _ = session.checkTimeouts(at: Self.reading(now)) { if let fix = $0.fix { heard.append(fix) } }
        fixes += heard.map { ($0, now) }
    }

    /// Receives the reports of a cycle, which begins with its second.
    /// - Parameter delayMilliseconds: The time after the second at which the line becomes busy.
    mutating func receive(second: Int, _ steps: [Step], delayMilliseconds: Int64 = 0) {
        var arrival = Int64(second) * 1000 + delayMilliseconds
        for step in steps {
            arrival += Int64(step.bytes * 10_000 / bitsPerSecond)
            pass(until: arrival)
            var heard: [Fix] = []
            let line: String
            if let members = step.members {
                let time = Self.start.advanced(bySeconds: Double(second)).iso8601
                line = #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)",\#(members)}"#
                lastArrivals[second] = arrival
            } else {
                line = #"{"class":"SKY","device":"/dev/a"}"#
            }
            session.receive(Array((line + "\n").utf8), at: Self.reading(arrival)) {
                if let fix = $0.fix { heard.append(fix) }
            }
            fixes += heard.map { ($0, arrival) }
        }
    }
}

@Suite("The reports of one cycle")
struct ReceiverCycleTests {
    /// A position with a speed that gpsd derived, as after GGA.
    private static let derived = #""lat":40,"lon":-3,"speed":93.3"#
    /// The same with the receiver's own values, as after RMC.
    private static let own = #""lat":40,"lon":-3,"speed":0.6,"track":90"#
    private static let ownHalted = #""lat":40,"lon":-3,"speed":0.0"#

    private static func checkLatest(_ receiver: SerialReceiver, from second: Int, within milliseconds: Int64 = 150) {
        for (fix, uptime) in receiver.fixes {
            let number = Int(fix.timestamp.secondsSinceEpoch - 1_795_251_600)
            guard number >= second, let last = receiver.lastArrivals[number] else { continue }
            #expect(uptime - last <= milliseconds, "second \(number), \(uptime - last) ms after its last report")
        }
    }

    @Test("Each cycle gives one fix with the receiver's own speed and track", arguments: [4800, 9600, 115_200])
    func serial(bitsPerSecond: Int) {
        var receiver = SerialReceiver(bitsPerSecond: bitsPerSecond)
        for second in 0..<60 {
            // The satellites come every fifth second, and so delay the receiver's own speed.
            var steps: [SerialReceiver.Step] = [(75, Self.derived), (55, Self.derived)]
            if second % 5 == 0 { steps += [(70, nil), (70, nil)] }
            // In a halt the receiver has no track. A pattern of values would be forgotten here.
            let isHalted = (20..<40).contains(second)
            steps += Array(repeating: (70, isHalted ? Self.ownHalted : Self.own), count: 2)
            receiver.receive(second: second, steps)
        }
        receiver.pass(until: 60_000)
        let fixes = receiver.fixes.map(\.fix)
        #expect(fixes.map { Int($0.timestamp.secondsSinceEpoch - 1_795_251_600) } == Array(0..<60))
        for (second, fix) in fixes.enumerated() {
            #expect(fix.headingDegrees == ((20..<40).contains(second) ? nil : 90), "second \(second)")
            #expect((fix.speedMetersPerSecond ?? 99) < 1, "second \(second)")
        }
        Self.checkLatest(receiver, from: 11)
    }

    @Test("The fix has the arrival of the first report of its cycle")
    func arrival() throws {
        var receiver = SerialReceiver(bitsPerSecond: 4800)
        for second in 0..<20 { receiver.receive(second: second, [(48, Self.derived), (96, Self.own)]) }
        let last = try #require(receiver.fixes.last)
        #expect(last.fix.received.uptimeMilliseconds == 19_100)
        #expect(last.uptimeMilliseconds == 19_300)
    }

    @Test("Before the pattern is known a cycle lasts until the next one, or two seconds")
    func unknown() {
        var receiver = SerialReceiver(bitsPerSecond: 9600)
        receiver.receive(second: 0, [(96, Self.derived), (96, Self.own)])
        receiver.pass(until: 900)
        #expect(receiver.fixes.isEmpty)
        receiver.receive(second: 1, [(96, Self.derived)])
        #expect(receiver.fixes.map(\.uptimeMilliseconds) == [1100])
        receiver.pass(until: 3099)
        #expect(receiver.fixes.count == 1)
        receiver.pass(until: 3100)
        #expect(receiver.fixes.map(\.uptimeMilliseconds) == [1100, 3100])
    }

    @Test("A cycle that lacks a report is complete soon, and the next ones are unharmed", arguments: [9600, 115_200])
    func truncated(bitsPerSecond: Int) {
        var receiver = SerialReceiver(bitsPerSecond: bitsPerSecond)
        for second in 0..<30 {
            let isCut = second == 15 || second == 22
            receiver.receive(second: second, isCut ? [(75, Self.derived)] : [(75, Self.derived), (70, Self.own)])
        }
        receiver.pass(until: 30_000)
        #expect(receiver.fixes.count == 30)
        for (second, fix) in receiver.fixes.map(\.fix).enumerated() where second != 15 && second != 22 {
            #expect(fix.headingDegrees == 90, "second \(second)")
        }
        Self.checkLatest(receiver, from: 11, within: 200)
    }

    @Test("A receiver that begins to send more sentences keeps one fix a cycle")
    func growing() {
        var receiver = SerialReceiver(bitsPerSecond: 9600)
        for second in 0..<60 {
            let later = second < 20 ? [] : [SerialReceiver.Step(70, Self.own)]
            receiver.receive(second: second, [(75, Self.derived)] + later)
        }
        receiver.pass(until: 60_000)
        #expect(receiver.fixes.count == 60)
        #expect(receiver.fixes.dropFirst(30).allSatisfy { $0.fix.headingDegrees == 90 })
        Self.checkLatest(receiver, from: 31)
    }

    @Test(
        "Sentences of the next second that gpsd adds to a cycle neither delay nor change its fix",
        arguments: [4800, 9600, 115_200])
    func nextSecond(bitsPerSecond: Int) {
        var receiver = SerialReceiver(bitsPerSecond: bitsPerSecond)
        var lastOwn: [Int: Int64] = [:]
        for second in 0..<40 {
            receiver.receive(second: second, [(70, nil), (70, Self.own)])
            lastOwn[second] = receiver.lastArrivals[second]
            // VTG comes first in a second, and has no time.
            receiver.receive(second: second, [(40, Self.derived)], delayMilliseconds: 1000)
        }
        receiver.pass(until: 41_000)
        #expect(receiver.fixes.count == 40)
        for (second, (fix, uptime)) in receiver.fixes.enumerated() where second > 14 {
            #expect(fix.speedMetersPerSecond == 0.6)
            #expect(uptime - (lastOwn[second] ?? 0) <= 150)
        }
    }

    @Test("A line that is busy with sentences without a report for longer than it rests does not end the cycle")
    func longPause() {
        var receiver = SerialReceiver(bitsPerSecond: 4800)
        for second in 0..<40 {
            // 75 bytes, then 265 of other sentences before RMC: the line rests for 0.14 s.
            receiver.receive(second: second, [(75, Self.derived), (340, Self.own)])
        }
        receiver.pass(until: 41_000)
        #expect(receiver.fixes.count == 40)
        #expect(receiver.fixes.allSatisfy { $0.fix.headingDegrees == 90 })
        Self.checkLatest(receiver, from: 11)
    }

    @Test("Undated reports of one position are one fix, and a date that comes with the last counts")
    func undated() {
        func positions(_ reports: [String], millisecondsApart: Int64) -> [String] {
            var session = GPSDSession(GPSDSettings())
            var words: [String] = []
            let note: (SourceEvent) -> Void = { event in
                switch event.content {
                case .fix(let fix): words.append("dated \(fix.speedMetersPerSecond ?? -1)")
                case .undatedFix(let fix): words.append("undated \(fix.speedMetersPerSecond ?? -1)")
                case .signals, .state: break
                }
            }
            func moment(_ uptime: Int64) -> ClockReading {
                ClockReading(
                    systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: uptime,
                    isSystemTimeTrusted: false)
            }
            session.handleConnect(at: moment(0))
            var uptime: Int64 = 0
            for report in reports {
                uptime += millisecondsApart
                session.receive(
                    Array((#"{"class":"TPV","mode":3,"# + report + "}\n").utf8), at: moment(uptime), emit: note)
            }
            session.handleDisconnect(because: "test", at: moment(uptime), emit: note)
            return words
        }
        let (first, second) = (#""lat":40,"lon":-3,"speed":93"#, #""lat":40,"lon":-3,"speed":1"#)
        #expect(positions([first, second], millisecondsApart: 100) == ["undated 1.0"])
        #expect(positions([first, second], millisecondsApart: 1000) == ["undated 93.0", "undated 1.0"])
        #expect(
            positions([first, #""lat":40.00001,"lon":-3,"speed":1"#], millisecondsApart: 100)
                == ["undated 93.0", "undated 1.0"])
        #expect(
            positions([first, second + #","time":"2026-11-21T09:15:02Z""#], millisecondsApart: 100) == ["dated 1.0"])
    }

    @Test("The position before a loss is emitted before it")
    func loss() {
        var session = GPSDSession(GPSDSettings())
        let now = ClockReading(replayed: Timestamp(millisecondsSinceEpoch: 0))
        session.handleConnect(at: now)
        var words: [String] = []
        let lines = [
            #"{"class":"TPV","mode":3,"time":"2026-11-21T09:15:02Z",\#(Self.derived)}"#,
            #"{"class":"TPV","mode":0}"#, #"{"class":"TPV","mode":1}"#,
        ]
        session.receive(Array((lines.joined(separator: "\n") + "\n").utf8), at: now) { event in
            switch event.content {
            case .fix: words.append("fix")
            case .undatedFix, .signals: break
            case .state(let state, at: _, detail: _): words.append(state.rawValue)
            }
        }
        #expect(words == ["available", "fix", "no_fix"])
    }

    @Test("A capture has one fix a cycle, with the values of its last reports")
    func capture() throws {
        let folder = try TemporaryFolder()
        let text = (0..<20).map { second in
            let head = #"{"class":"TPV","mode":3,"time":"2026-11-21T09:15:\#(second < 10 ? "0" : "")\#(second)Z","#
            return head + Self.derived + "}\n" + #"{"class":"SKY"}"# + "\n" + head + Self.own + "}\n"
        }
        let reader = try CaptureReader(ReplaySettings(path: try folder.write(text.joined(), to: "capture")))
        var fixes: [Fix] = []
        while let event = try reader.next() { if let fix = event.fix { fixes.append(fix) } }
        #expect(fixes.count == 20)
        #expect(fixes.allSatisfy { $0.headingDegrees == 90 && $0.speedMetersPerSecond == 0.6 })
        #expect(reader.counters[.sameCycle] == 20)
    }
}
