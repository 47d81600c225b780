import Glibc
import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel

/// Fixes at wrong places: clusters of outliers on simulated drives and at a parking place.
struct OutlierFixes {
    /// Whether bad runs are printed.
    var isVerbose = false

    private static let runs = 240
    private static let distances = [200.0, 2000, 20_000, 300_000]
    private static let longest = 60.0
    private enum Kind: CaseIterable { case still, jittering, drifting }
    private enum Scene: CaseIterable { case amid, first, twice, departing, firstOnly }

    struct Receiver {
        /// The interval of fixes, seconds.
        var seconds: Double
        var tellsSpeed: Bool
        var isParked: Bool
    }

    struct Result {
        fileprivate(set) var watch = OdometerWatch()
        /// Some of the same runs without outliers.
        fileprivate var control = OdometerWatch()
        /// The number of runs that exceed the bar, by kind.
        fileprivate var outside: [String: Int] = [:]
    }

    func report() {
        for seconds in [1.0, 5, 10] {
            for tellsSpeed in [true, false] {
                for isParked in [false, true] {
                    report(Receiver(seconds: seconds, tellsSpeed: tellsSpeed, isParked: isParked))
                }
            }
        }
    }

    /// Returns the odometer of runs with each scene, kind of error and distance.
    func result(of receiver: Receiver, runs: Int = runs) -> Result {
        var result = Result()
        for run in 0..<runs {
            var random = SplitMix64(seed: UInt64(run) + 1)
            let (fixes, truths) = track(receiver, seed: UInt64(run) + 1, &random)
            if run % 7 == 0 { result.control.add(fixes, truths: truths) }
            let (spoilt, name) = spoiled(fixes, truths: truths, run: run, &random)
            var own = OdometerWatch()
            own.add(spoilt, truths: truths)
            result.watch.add(spoilt, truths: truths)
            if own.worstMeters > 200 || receiver.isParked && own.worstGainMeters > 20 || own.insideShare < 0.9 {
                result.outside[name, default: 0] += 1
                if isVerbose {
                    print("   ", run, name, text(own.insideShare), text(own.worstMeters, 0), own.ends)
                }
            }
        }
        return result
    }

    private func report(_ receiver: Receiver) {
        let result = result(of: receiver)
        let (watch, control) = (result.watch, result.control)
        let name =
            "outliers, \(receiver.isParked ? "parked" : "driving"), \(text(receiver.seconds, 0)) s"
            + "\(receiver.tellsSpeed ? "" : ", no speed")"
        row(
            name + ": inside at each fix", "\(text(100 * watch.insideShare, 1)) %",
            naive: "\(text(100 * control.insideShare, 1)) % without", bar: "95 %")
        row(
            "  farthest outside, most gained (m); median bound at the end",
            "\(text(watch.worstMeters, 0)), \(text(watch.worstGainMeters, 0)); \(text(100 * watch.medianBound, 1)) %",
            naive: "\(text(control.worstMeters, 0)); \(text(100 * control.medianBound, 1)) %",
            bar: receiver.isParked ? "200, 20" : "200")
        if !result.outside.isEmpty {
            print("    bad runs:", result.outside.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
        }
    }

    private func track(_ receiver: Receiver, seed: UInt64, _ random: inout SplitMix64) -> ([Fix], [Double]) {
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return ([], []) }
        let roads = [SimulatedRoad.cityGrid, .countryRoad, .motorway, .commute]
        let seconds = 600 + 70 * receiver.seconds
        let drive = RoadDrive(on: roads[Int(seed) % roads.count], seed: seed, seconds: seconds, from: start)
        var fixes = drive.fixes(everySeconds: receiver.seconds)
        var truths = drive.sights(everySeconds: receiver.seconds).map(\.trueMeters)
        if receiver.isParked {
            var error = random.scatter(2)
            truths = truths.map { _ in 0 }
            for index in fixes.indices {
                error = random.wandered(from: error, seconds: receiver.seconds, memorySeconds: 120, deviation: 2)
                fixes[index].coordinate = LocalPlane(origin: start).coordinate(of: error)
                fixes[index].speedMetersPerSecond = abs(0.05 * random.normal())
                fixes[index].headingDegrees = nil
            }
        }
        let tellsAccuracy = Bool.random(using: &random)
        for index in fixes.indices {
            if !receiver.tellsSpeed { fixes[index].speedMetersPerSecond = nil }
            if !receiver.tellsSpeed { fixes[index].headingDegrees = nil }
            if !tellsAccuracy { fixes[index].accuracyMeters = nil }
        }
        return (fixes, truths)
    }

    private func spoiled(
        _ fixes: [Fix], truths: [Double], run: Int, _ random: inout SplitMix64
    ) -> ([Fix], String) {
        let scene = Scene.allCases[run % Scene.allCases.count]
        let kind = Kind.allCases[run / 5 % 3]
        let meters = Self.distances[run / 15 % 4]
        let share = Double.random(in: 0...1, using: &random)
        let count = run / 60 % 2 == 0 ? Int(pow(Self.longest, share)) : 60 - run % 7 * 8
        var copy = fixes
        let begin: Int
        switch scene {
        case .first, .firstOnly: begin = 0
        case .departing: begin = max((truths.firstIndex { $0 > 5 } ?? 20) - count / 2, 5)
        case .amid, .twice: begin = 20 + Int.random(in: 0..<200, using: &random) % max(fixes.count - 120, 1)
        }
        let all = scene == .firstOnly ? 1 : count
        let half = scene == .twice ? all / 2 : all
        replace(&copy, begin..<(begin + half), kind, meters: meters, &random)
        if half < all {
            let other = Self.distances[Int.random(in: 0..<4, using: &random)]
            replace(&copy, (begin + half)..<(begin + all), kind, meters: other, &random)
        }
        return (copy, "\(scene) \(kind) \(text(meters, 0)) m")
    }

    private func replace(
        _ fixes: inout [Fix], _ range: Range<Int>, _ kind: Kind, meters: Double, _ random: inout SplitMix64
    ) {
        guard let first = range.first, first < fixes.count else { return }
        let heading = Double.random(in: 0..<360, using: &random)
        let place = fixes[first].coordinate.destination(headingDegrees: heading, distanceMeters: meters)
        let deviation = kind == .still ? 0 : Double.random(in: 1...10, using: &random)
        let drift = kind == .drifting ? Double.random(in: 0.5...3, using: &random) : 0
        for index in range where index < fixes.count {
            let seconds = fixes[index].timestamp.seconds(since: fixes[first].timestamp)
            let gone = place.destination(headingDegrees: heading + 70, distanceMeters: drift * seconds)
            let jitter = random.scatter(kind == .drifting ? 1 : deviation)
            fixes[index].coordinate = kind == .still ? place : LocalPlane(origin: gone).coordinate(of: jitter)
        }
    }
}
