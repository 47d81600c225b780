import OdographCivilTime
import OdographGeodesy
import OdographHarness

@testable import OdographTracking
import OdographModel

/// A random day with halts that are published as stops, withdrawn departures and other events in between.
struct HaltingDay {
    private(set) var inputs: [TrackerInput] = []
    private var random: SplitMix64
    private var track = Track()
    /// The offset of both clocks, seconds.
    private var shift = 0.0
    private var rules = TrackingConfiguration()
    private var schedule = ScheduleGate.State.open

    /// - Parameter isCalm: Whether the day contains only trips and halts.
    init(seed: UInt64, isCalm: Bool = false, legs: Int = 10) {
        random = SplitMix64(seed: seed)
        let interval: Double = [1.0, 1, 5].randomElement(using: &random) ?? 1
        inputs.append(.started(at: moment(track.now)))
        if !isCalm, Bool.random(using: &random) { reconfigure() }
        for _ in 0..<legs { leg(every: interval) }
        track.stand(seconds: isCalm ? 900 : 200, every: interval)
        let odds = isCalm ? 0 : Int.random(in: 100...900, using: &random)
        for fix in track.fixes {
            var fix = fix
            if odds > 0, Int.random(in: 0..<odds, using: &random) == 0 { happen(at: fix.timestamp) }
            fix.received = moment(fix.timestamp)
            fix.timestamp = fix.received.systemTime
            inputs.append(.fix(fix))
        }
    }

    private mutating func leg(every interval: Double) {
        let heading = Double.random(in: 0..<360, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2:
            track.stand(seconds: Double.random(in: 100...400, using: &random), every: interval)
        case 3:
            // To the corner and back.
            track.stand(seconds: Double.random(in: 60...400, using: &random), every: interval)
            let seconds = Double.random(in: 8...60, using: &random)
            track.go(seconds: seconds, metersPerSecond: 1.3, headingDegrees: heading, every: interval)
            track.go(seconds: seconds, metersPerSecond: 1.3, headingDegrees: heading + 180, every: interval)
            track.stand(seconds: Double.random(in: 10...400, using: &random), every: interval)
        case 4:
            track.go(
                seconds: Double.random(in: 10...200, using: &random), metersPerSecond: 1.3, headingDegrees: heading,
                every: interval)
        case 5:
            // Rolls to the next light at walking pace.
            track.go(
                seconds: Double.random(in: 5...30, using: &random), metersPerSecond: 2, headingDegrees: heading,
                every: interval)
            track.stand(seconds: Double.random(in: 100...250, using: &random), every: interval)
        default:
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                track.go(
                    seconds: Double.random(in: 20...100, using: &random),
                    metersPerSecond: Double.random(in: 6...20, using: &random),
                    headingDegrees: heading + Double.random(in: -80...80, using: &random), every: interval)
            }
        }
    }

    private mutating func happen(at time: Timestamp) {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: reconfigure()
        case 1, 2: turn(at: time)
        case 3:
            let steps: [Double] = [-1, 1, -18, 18, -400, 400, 86_400, -86_400, 14 * 86_400, -14 * 86_400]
            shift += steps.randomElement(using: &random) ?? 0
        case 4 where Int.random(in: 0..<4, using: &random) == 0: shift += 5e8
        case 5:
            rules.isEnabled.toggle()
            inputs.append(.configuration(rules, at: moment(time)))
        case 6:
            // Delays everything after this.
            shift += Double.random(in: 20...700, using: &random)
            if Bool.random(using: &random) { inputs.append(.started(at: moment(time))) }
        case 7:
            inputs.append(
                .source([.lost, .noFix, .available].randomElement(using: &random) ?? .lost, at: moment(time)))
        default: inputs.append(.started(at: moment(time)))
        }
    }

    private mutating func turn(at time: Timestamp) {
        if schedule.isOpen {
            let mode = OffScheduleRule.Mode.allCases.randomElement(using: &random) ?? .tag
            schedule = .closed(OffScheduleRule(mode: mode))
        } else {
            schedule = .open
        }
        inputs.append(.schedule(schedule, at: moment(time)))
    }

    private mutating func reconfigure() {
        rules.timeline.shortestStopSeconds = [0, 1, 300, 900].randomElement(using: &random) ?? 300
        rules.timeline.gapSeconds = [10, 60, 300, 900].randomElement(using: &random) ?? 300
        rules.timeline.vehicle = [nil, .car, .bicycle].randomElement(using: &random) ?? nil
        rules.timeline.updateIntervalSeconds = [1, 60, 600].randomElement(using: &random) ?? 60
        rules.timeline.maximumWaypoints = [2, 20, 200].randomElement(using: &random) ?? 200
        rules.stationary.intervalSeconds = [30, 60, 120, 300, 600].randomElement(using: &random) ?? 120
        rules.heartbeatIntervalSeconds = [0, 60, 3600].randomElement(using: &random) ?? 3600
        inputs.append(.configuration(rules, at: moment(track.fixes.isEmpty ? track.now : lastTime)))
    }

    private var lastTime: Timestamp {
        for case .fix(let fix) in inputs.reversed() {
            return Timestamp(millisecondsSinceEpoch: fix.received.uptimeMilliseconds)
        }
        return Track().now
    }

    /// Returns the reading of the clocks at a true instant.
    private func moment(_ time: Timestamp) -> ClockReading {
        ClockReading(
            systemTime: time.advanced(bySeconds: shift), uptimeMilliseconds: time.millisecondsSinceEpoch,
            isSystemTimeTrusted: true)
    }
}
