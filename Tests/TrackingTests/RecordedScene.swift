import OdographCivilTime
import OdographCrontab
import OdographGeodesy
import OdographHarness

@testable import OdographTracking
import OdographModel

/// A simulated day whose tracker outputs are in `Tests/Recorded`.
struct RecordedScene: CustomStringConvertible, Sendable {
    /// The base name of its file.
    let description: String
    /// Runs the day through a tracker and returns its outputs.
    private let play: @Sendable () -> [TrackerOutput]

    var outputs: [TrackerOutput] { play() }

    private init(_ name: String, outputs: @escaping @Sendable () -> [TrackerOutput]) {
        description = name
        play = outputs
    }

    private init(
        _ name: String, tracker: Tracker = Tracker(seed: (1, 2)), events: @escaping @Sendable () -> [WildDay.Event]
    ) {
        self.init(name) {
            var run = WildRun()
            run.tracker = tracker
            for event in events() { run.take(event) }
            run.end()
            return run.outputs
        }
    }

    private init(_ name: String, tracker: Tracker = Tracker(seed: (1, 2)), fixes: @escaping @Sendable () -> [Fix]) {
        self.init(name, tracker: tracker, events: { fixes().map { .input(.fix($0)) } })
    }

    static let all = roads + seldom + days + parked + updates + randomFences + [silences, fences]

    /// Drives on each kind of road with a fix each second.
    private static let roads = SimulatedRoad.allCases.map { road in
        RecordedScene("road-\(road)") {
            RoadDrive(on: road, seed: 5, seconds: 900, from: RoadDrive.town).fixes(everySeconds: 1)
        }
    }

    /// Drives with sparse fixes, with and without speed and heading.
    private static let seldom = [10.0, 30, 60].flatMap { seconds in
        [true, false].map { hasSpeed in
            RecordedScene("every-\(Int(seconds))-s-\(hasSpeed ? "with" : "without")-speed") {
                let drive = RoadDrive(on: .commute, seed: 7, seconds: 3600, from: RoadDrive.town)
                return drive.fixes(everySeconds: seconds).map { fix in
                    var fix = fix
                    if !hasSpeed { (fix.speedMetersPerSecond, fix.headingDegrees) = (nil, nil) }
                    return fix
                }
            }
        }
    }

    /// Days with halts, with and without other events, and days with all kinds of faults.
    private static let days =
        (1...3).map { seed in RecordedScene("halts-\(seed)", events: { halts(seed, isCalm: true) }) }
        + (4...9).map { seed in RecordedScene("halts-and-events-\(seed)", events: { halts(seed, isCalm: false) }) }
        + (31...36).map { seed in RecordedScene("wild-\(seed)", events: { WildDay(seed: seed).events }) }

    private static func halts(_ seed: UInt64, isCalm: Bool) -> [WildDay.Event] {
        HaltingDay(seed: seed, isCalm: isCalm).inputs.map { .input($0) }
    }

    /// A vehicle that arrives, is parked with poor reception, and departs.
    private static let parked = StayTrack.Leaving.allCases.map { leaving in
        RecordedScene("parked-\(leaving)") {
            var track = StayTrack(seed: 11)
            track.arrive(onFoot: leaving == .creeping)
            var sky = ChangingSky.canyon
            track.stay(under: &sky, seconds: 1500)
            track.leave(leaving, under: &sky)
            return track.fixes
        }
    }

    /// Days with halts during which the program is updated and a part of the state is lost.
    private static let updates = UpdatedRun.Remains.allCases.flatMap { remains in
        [41, 42].map { (seed: UInt64) in
            RecordedScene("updates-\(remains)-\(seed)") {
                var random = SplitMix64(seed: seed)
                var run = UpdatedRun(remains)
                let inputs = HaltingDay(seed: seed).inputs
                for input in inputs {
                    run.take(input)
                    if Int.random(in: 0..<150, using: &random) == 0 { run.save() }
                    if Int.random(in: 0..<400, using: &random) == 0 { try? run.update() }
                }
                if let last = inputs.last { run.take(run.tracker.finish(at: last.clockReading)) }
                return run.outputs
            }
        }
    }

    /// Geofences of all shapes around a drive, with all kinds of rules.
    private static let randomFences = (1...8 as ClosedRange<UInt64>).map { seed in
        var random = SplitMix64(seed: seed)
        var drive = SimulatedDrive(seed: seed)
        drive.accuracyMeters = [3, 8, 25].randomElement(using: &random) ?? 3
        drive.interval = [1, 5, 20].randomElement(using: &random) ?? 1
        var places = [drive.position]
        for _ in 0..<6 {
            drive.drive(seconds: Double.random(in: 20...150, using: &random))
            places.append(drive.position)
            drive.stand(seconds: Double.random(in: 10...400, using: &random))
            if Bool.random(using: &random) { drive.turnRound() }
            if Bool.random(using: &random) { drive.walk(seconds: 120) }
            if Int.random(in: 0..<4, using: &random) == 0 { drive.silence(seconds: 700) }
        }
        let list = (0..<20).map { number in
            Geofence(identifier: "fence-\(number)", shape: shape(about: places, &random), rule: rule(&random))
        }
        let fixes = drive.fixes
        return RecordedScene(
            "random-fences-\(seed)", tracker: Tracker(geofences: GeofenceSet(list), zone: .utc)
        ) { fixes }
    }

    private static func shape(about places: [Coordinate], _ random: inout SplitMix64) -> Shape {
        let place = (places.randomElement(using: &random) ?? .gulf).destination(
            headingDegrees: Double.random(in: 0..<360, using: &random),
            distanceMeters: Double.random(in: 0...80, using: &random))
        let radius = Double.random(in: 15...400, using: &random)
        let corners = (0..<Int.random(in: 3...7, using: &random)).map { _ in Double.random(in: 0..<360, using: &random)
        }
        let ring = corners.sorted().map { place.destination(headingDegrees: $0, distanceMeters: radius) }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return (try? Polygon(rings: [ring])).map(Shape.polygon) ?? FenceScene.circle(at: place)
        case 1:
            return (try? Corridor(path: ring, halfWidthMeters: 20)).map(Shape.corridor) ?? FenceScene.circle(at: place)
        default: return FenceScene.circle(radiusMeters: radius, at: place)
        }
    }

    private static func rule(_ random: inout SplitMix64) -> GeofenceRule {
        var rule = GeofenceRule()
        rule.notifiesOnEntry = Int.random(in: 0..<5, using: &random) > 0
        rule.notifiesOnExit = Int.random(in: 0..<5, using: &random) > 0
        rule.notifiesOnDwell = Bool.random(using: &random)
        rule.loiteringDelaySeconds = Double.random(in: 0...400, using: &random)
        rule.speedLimitMetersPerSecond = Bool.random(using: &random) ? Double.random(in: 5...14, using: &random) : nil
        rule.schedule = Bool.random(using: &random) ? try? Schedule("*/7-9 9-10 * * *") : nil
        return rule
    }

    /// Drives and walks with gaps between them.
    private static let silences = RecordedScene("silences") {
        var drive = SimulatedDrive(seed: 13)
        for seconds in [20.0, 90, 400, 1500] {
            drive.drive(seconds: 300)
            drive.silence(seconds: seconds)
            drive.stand(seconds: 400)
            drive.walk(seconds: 200)
            drive.silence(seconds: seconds)
        }
        return drive.fixes
    }

    /// Geofences on the path of a drive there and back.
    private static let fences: RecordedScene = {
        var drive = SimulatedDrive(seed: 17)
        var places: [Coordinate] = []
        for _ in 0..<4 {
            drive.drive(seconds: 120)
            places.append(drive.position)
            drive.stand(seconds: 150)
        }
        drive.turnRound()
        drive.drive(seconds: 400)
        var rule = GeofenceRule()
        rule.notifiesOnDwell = true
        rule.loiteringDelaySeconds = 60
        rule.speedLimitMetersPerSecond = 9
        let list = zip(places, [60.0, 100, 250, 1000]).map { place, radius in
            Geofence(
                identifier: "within-\(Int(radius))-m", shape: FenceScene.circle(radiusMeters: radius, at: place),
                rule: rule)
        }
        let fixes = drive.fixes
        return RecordedScene(
            "fences", tracker: Tracker(geofences: GeofenceSet(list), zone: .utc)
        ) { fixes }
    }()
}
