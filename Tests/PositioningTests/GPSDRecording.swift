import OdographCivilTime
import OdographHarness
import OdographModel
import OdographTracking

@testable import OdographPositioning

/// The reports of a real gpsd with their arrivals, as `Tests/GPSD/check` records them.
struct GPSDRecording {
    /// The output of an agent for a recording.
    struct Outcome: CustomStringConvertible {
        /// The instants of which gpsd reports a position, and of how many it also reports a track.
        var (instants, tracks) = (0, 0)
        var fixes: [Fix] = []
        var accepted = 0
        var headings = 0
        var halts = 0
        var meters = 0.0
        /// The longest time between the last report of a cycle and its fix, milliseconds, after the first twelve.
        var latestMilliseconds: Int64 = 0

        var description: String {
            "\(accepted) fixes, \(headings) headings, \(halts) halts, \(Int(meters.rounded())) m"
                + " of \(instants) instants, \(tracks) tracks"
        }

        /// Whether gpsd reported the same: otherwise it does not decode the receiver as another release does.
        func isOfSameReports(as other: Outcome) -> Bool {
            abs(instants - other.instants) <= 3 && abs(tracks - other.tracks) <= 3
        }

        /// Whether two agents would show the same drive. Releases begin and end a log with another report, and without
        /// a clock it takes three fixes to know the time.
        func agrees(with other: Outcome) -> Bool {
            func near(_ one: Double, _ two: Double, share: Double, atLeast least: Double) -> Bool {
                abs(one - two) <= max(least, share * max(one, two))
            }
            return near(Double(accepted), Double(other.accepted), share: 0.02, atLeast: 3)
                && near(Double(headings), Double(other.headings), share: 0.03, atLeast: 3)
                && halts == other.halts && near(meters, other.meters, share: 0.01, atLeast: 10)
        }
    }

    /// The name of the log.
    let log: String
    /// The release of gpsd.
    let release: String
    private let lines: [(milliseconds: Int64, report: String)]

    /// Reads a file that is named by log and release, such as `slow.gpsd-3.25.log`.
    init(path: String) throws {
        let file = String(path.split(separator: "/").last ?? "")
        let parts = file.split(separator: ".gpsd-")
        log = String(parts.first ?? "")
        release = String((parts.last ?? "").dropLast(4))
        lines = String(decoding: try FileContents.bytes(path), as: UTF8.self).split(separator: "\n").compactMap {
            line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.count == 2 ? Int64(parts[0]).map { ($0, String(parts[1])) } : nil
        }
    }

    /// The reports as a capture.
    var capture: String { lines.map { $0.report + "\n" }.joined() }

    /// Passes the recording through a session and a tracker.
    /// - Parameters:
    ///   - isClockTrusted: Whether the machine's clock is synchronised: with the receiver's first date.
    ///   - followsReceiver: Whether the seconds of the receiver count instead of those of the recording, which was made
    ///     faster.
    func outcome(isClockTrusted: Bool, followsReceiver: Bool) -> Outcome {
        var run = Run(isClockTrusted: isClockTrusted)
        var last: (milliseconds: Int64, time: Timestamp?) = (lines.first?.milliseconds ?? 0, nil)
        var undatedPlace: [Double?] = []
        var instants: [Timestamp: Bool] = [:]
        for line in lines {
            var time: Timestamp?
            var step = line.milliseconds - last.milliseconds
            if case .tpv(let report)? = GPSDReport(line: line.report), let mode = report.mode, mode >= 2 {
                time = report.time
                if let time, report.latitudeDegrees != nil {
                    instants[time] = instants[time] == true || report.trackDegrees != nil
                }
                let place = [report.latitudeDegrees, report.longitudeDegrees]
                if followsReceiver, let time, let before = last.time, time > before {
                    step = time.millisecondsSinceEpoch - before.millisecondsSinceEpoch
                } else if followsReceiver, time == nil, place != undatedPlace {
                    step = 1000
                    undatedPlace = place
                }
            }
            run.receive(line.report, after: step, isNewCycle: time != nil && time != last.time, time: time)
            last = (line.milliseconds, time ?? last.time)
        }
        var outcome = run.finish()
        (outcome.instants, outcome.tracks) = (instants.count, instants.values.count { $0 })
        return outcome
    }

    private struct Run {
        private let isClockTrusted: Bool
        private var session = GPSDSession(GPSDSettings())
        private var tracker = Tracker()
        private var outcome = Outcome()
        private var uptimeMilliseconds: Int64 = 100_000
        /// The system time at an uptime of 0.
        private var systemOffset: Timestamp?
        private var cycles = 0
        private var lastReport: [Timestamp: Int64] = [:]

        init(isClockTrusted: Bool) {
            self.isClockTrusted = isClockTrusted
            session.handleConnect(at: now)
        }

        private var now: ClockReading {
            ClockReading(
                systemTime: (systemOffset ?? Timestamp(millisecondsSinceEpoch: 0))
                    .advanced(byMilliseconds: uptimeMilliseconds),
                uptimeMilliseconds: uptimeMilliseconds, isSystemTimeTrusted: isClockTrusted && systemOffset != nil)
        }

        mutating func receive(_ report: String, after milliseconds: Int64, isNewCycle: Bool, time: Timestamp?) {
            pass(milliseconds)
            if isNewCycle { cycles += 1 }
            if let time {
                lastReport[time] = uptimeMilliseconds
                if isClockTrusted, systemOffset == nil {
                    systemOffset = time.advanced(byMilliseconds: -uptimeMilliseconds)
                }
            }
            var events: [SourceEvent] = []
            session.receive(Array((report + "\n").utf8), at: now) { events.append($0) }
            take(events)
        }

        private mutating func pass(_ milliseconds: Int64) {
            let end = uptimeMilliseconds + milliseconds
            while case let due = session.deadlineUptimeMilliseconds, due > uptimeMilliseconds, due < end {
                uptimeMilliseconds = due
                check()
            }
            uptimeMilliseconds = end
            check()
        }

        private mutating func check() {
            var events: [SourceEvent] = []
            _ = session.checkTimeouts(at: now) { events.append($0) }
            take(events)
        }

        private mutating func take(_ events: [SourceEvent]) {
            for event in events {
                switch event.content {
                case .fix(let fix):
                    outcome.fixes.append(fix)
                    if cycles > 12, let last = lastReport[fix.timestamp] {
                        outcome.latestMilliseconds = max(outcome.latestMilliseconds, uptimeMilliseconds - last)
                    }
                    take(ReceivedFix(fix, hasReceiverDate: true))
                case .undatedFix(let fix): take(ReceivedFix(fix, hasReceiverDate: false))
                case .signals: break
                case .state(let state, let moment, _): _ = tracker.handle(.source(state, at: moment))
                }
            }
        }

        private mutating func take(_ position: ReceivedFix) {
            takeDated(at: position.fix.received)
            if tracker.dated(position) == nil {
                _ = tracker.handle(.undated(position))
                takeDated(at: position.fix.received)
            }
            if let fix = tracker.dated(position) { take(fix) }
        }

        private mutating func takeDated(at moment: ClockReading) {
            for fix in tracker.takeDatedFixes(at: moment) { take(fix) }
        }

        private mutating func take(_ fix: Fix) {
            let wasMoving = tracker.isMoving
            _ = tracker.handle(.fix(fix))
            if wasMoving, !tracker.isMoving { outcome.halts += 1 }
            if tracker.hasAccepted(fix), fix.headingDegrees != nil { outcome.headings += 1 }
        }

        mutating func finish() -> Outcome {
            var events: [SourceEvent] = []
            session.handleDisconnect(because: "the end", at: now) { events.append($0) }
            take(events)
            outcome.accepted = tracker.counters.accepted
            outcome.meters = tracker.odometerMeters
            return outcome
        }
    }
}
