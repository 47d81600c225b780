import OdographCivilTime
import OdographGeodesy
import OdographHarness

@testable import OdographTracking
import OdographModel

/// A day with all kinds of faults: receivers that come and go, report wrong dates, step back or leap, report nonsense
/// or alternate; machines without a clock, restarts, changes of schedules and rules.
struct WildDay {
    /// An input of the agent.
    enum Event {
        case position(ReceivedFix)
        case input(TrackerInput)
    }

    private(set) var events: [Event] = []
    private var random: SplitMix64
    private var drive: SimulatedDrive
    private var taken = 0
    private var boot = 1
    private var bootTime: Timestamp
    private var isClockSet: Bool
    /// The errors of the receiver's clock and of the machine's clock, seconds.
    private var receiverShift = 0.0
    private var machineShift = 0.0
    private var saysDates = true
    private var isWild = false

    /// The steps of a receiver's clock: leap seconds, a wrong zone, a wrong day, lost weeks, a wrong century.
    private static let steps: [Double] = [
        -1, 1, -18, 18, -200, 200, -1200, 3600, -3600, -7200, 86_400, -86_400, -1024 * 604_800, 1024 * 604_800, 2e9,
    ]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        drive = SimulatedDrive(seed: seed)
        drive.interval = [1, 5, 30].randomElement(using: &random) ?? 1
        drive.speedNoise = Bool.random(using: &random) ? 0.15 : nil
        bootTime = drive.now
        isClockSet = Bool.random(using: &random)
        start()
        for _ in 0..<Int.random(in: 4...14, using: &random) {
            change()
            isWild = Int.random(in: 0..<4, using: &random) == 0
            move()
        }
    }

    private mutating func move() {
        let seconds = Double.random(in: 20..<900, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: drive.drive(seconds: seconds)
        case 2: drive.walk(seconds: seconds / 2)
        case 3, 4: drive.stand(seconds: seconds)
        // Some gaps are longer than the tracker's deadlines.
        default: drive.silence(seconds: seconds * (Int.random(in: 0..<4, using: &random) == 0 ? 20 : 2))
        }
        for fix in drive.fixes[taken...] { report(fix) }
        taken = drive.fixes.count
    }

    private mutating func change() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: receiverShift += Self.steps.randomElement(using: &random) ?? 0
        case 1:
            let shift = Self.steps.randomElement(using: &random) ?? 0
            receiverShift += shift
            machineShift += shift
        case 2: (receiverShift, machineShift) = (0, 0)
        case 3:
            isClockSet.toggle()
            events.append(.input(.tick(moment(drive.now))))
        case 4: saysDates.toggle()
        case 5: start()
        case 6:
            let mode = OffScheduleRule.Mode.allCases.randomElement(using: &random) ?? .tag
            let tag = ["private", "night"].randomElement(using: &random) ?? ""
            events.append(.input(.schedule(.closed(OffScheduleRule(mode: mode, tag: tag)), at: moment(drive.now))))
        case 7: events.append(.input(.schedule(.open, at: moment(drive.now))))
        case 8, 9: reconfigure()
        default:
            let state = [SourceState.lost, .noFix, .available].randomElement(using: &random) ?? .lost
            events.append(.input(.source(state, at: moment(drive.now))))
        }
    }

    private mutating func reconfigure() {
        var rules = TrackingConfiguration()
        rules.isEnabled = Int.random(in: 0..<3, using: &random) > 0
        rules.timeline.updateIntervalSeconds = Double.random(in: 1...600, using: &random)
        rules.timeline.gapSeconds = Double.random(in: 10...900, using: &random)
        rules.stationary.intervalSeconds = Double.random(in: 30...600, using: &random)
        rules.timeline.shortestStopSeconds = Double.random(in: 0...900, using: &random)
        events.append(.input(.configuration(rules, at: moment(drive.now))))
    }

    private mutating func start() {
        if Bool.random(using: &random) {
            boot += 1
            bootTime = drive.now
            isClockSet = Bool.random(using: &random)
        }
        events.append(.input(.started(at: moment(drive.now), boot: "\(boot)")))
    }

    /// Returns the reading of the machine's clocks at a true instant.
    private func moment(_ time: Timestamp) -> ClockReading {
        let uptime = time.millisecondsSinceEpoch - bootTime.millisecondsSinceEpoch + 20_000
        return ClockReading(
            systemTime: isClockSet
                ? time.advanced(bySeconds: machineShift) : Timestamp(millisecondsSinceEpoch: uptime),
            uptimeMilliseconds: uptime, isSystemTimeTrusted: isClockSet)
    }

    private mutating func report(_ fix: Fix) {
        var fix = fix
        let delay = isWild ? Int64.random(in: 0..<1500, using: &random) : 120
        fix.received = moment(fix.timestamp.advanced(byMilliseconds: delay))
        fix.timestamp = fix.timestamp.advanced(bySeconds: receiverShift)
        if isWild { spoil(&fix) }
        if !saysDates { fix.timestamp = fix.received.systemTime }
        events.append(.position(ReceivedFix(fix, hasReceiverDate: saysDates)))
        if isWild, Int.random(in: 0..<5, using: &random) == 0 { events.append(.input(.tick(fix.received))) }
    }

    private mutating func spoil(_ fix: inout Fix) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: fix.timestamp = Timestamp(iso8601: "1980-01-06T00:00:00Z") ?? fix.timestamp
        case 1: fix.timestamp = Timestamp(iso8601: "2099-12-31T23:59:59Z") ?? fix.timestamp
        case 2: fix.timestamp = fix.timestamp.advanced(bySeconds: Double.random(in: -30...30, using: &random))
        case 3: fix.accuracyMeters = [0, 1e9, 0.001, nil].randomElement(using: &random) ?? nil
        case 4: fix.speedMetersPerSecond = [0, 1e6, 300, nil].randomElement(using: &random) ?? nil
        case 5: fix.coordinate = Coordinate(latitudeDegrees: 90, longitudeDegrees: 180) ?? fix.coordinate
        case 6: fix.coordinate = .gulf
        // A fix of another receiver with its own error.
        case 7...9: fix.coordinate = fix.coordinate.destination(headingDegrees: 70, distanceMeters: 25)
        default: break
        }
        // As in a source, the initializer limits the values to their ranges.
        fix = Fix(
            timestamp: fix.timestamp, received: fix.received, coordinate: fix.coordinate,
            accuracyMeters: fix.accuracyMeters, speedMetersPerSecond: fix.speedMetersPerSecond,
            speedAccuracyMetersPerSecond: fix.speedAccuracyMetersPerSecond, headingDegrees: fix.headingDegrees,
            altitudeMeters: fix.altitudeMeters, ellipsoidalAltitudeMeters: fix.ellipsoidalAltitudeMeters,
            isMock: fix.isMock)
    }
}

/// Passes events to a tracker in the order of the agent.
struct WildRun {
    var tracker = Tracker(seed: (1, 2))
    private(set) var outputs: [TrackerOutput] = []
    private var last: ClockReading?

    var events: [TimelineEvent] { outputs.compactMap(\.event) }

    mutating func take(_ event: WildDay.Event) {
        switch event {
        case .input(let input):
            last = input.clockReading
            if case .started = input {} else { outputs += tracker.takeDated(at: input.clockReading) }
            outputs += tracker.handle(input)
        case .position(let position):
            last = position.fix.received
            outputs += tracker.take(position)
        }
    }

    mutating func end() {
        if let last { outputs += tracker.finish(at: last) }
    }
}
