import OdographCivilTime
import OdographHarness
import OdographTracking

/// The false distance of a stationary vehicle under all kinds of skies, and the delay until a departure is found under
/// a bad one.
struct ParkedSkies {
    /// The usual skies of a parked vehicle, and the worst of streets.
    static let usual = [
        NamedSky("in the open", ChangingSky(accuracyMeters: 2.5...6)),
        NamedSky("in the open, errs twice as much as it says", ChangingSky(accuracyMeters: 2.5...6)) {
            $0.dishonesty = 2
        },
        NamedSky("under trees", ChangingSky(accuracyMeters: 3...15)),
        NamedSky("street canyon, hops", .canyon),
    ]
    /// Variants of a street canyon.
    private static let canyons = [
        NamedSky("street canyon, hops of 20 m", .canyon) { $0.hopMeters = 20 },
        NamedSky("street canyon, hops of 80 m", .canyon) { $0.hopMeters = 80 },
        NamedSky("street canyon, hops each minute", .canyon) { $0.hopSeconds = 60 },
        NamedSky("street canyon, hops each ten minutes", .canyon) { $0.hopSeconds = 600 },
        NamedSky("street canyon, hops for minutes", .canyon) { $0.hopLasts = 60...300 },
        NamedSky("street canyon, errs twice as much as it says", .canyon) { $0.dishonesty = 2 },
        NamedSky("street canyon, speeds err twice as much", .canyon) { $0.speedNoise = 2 },
        NamedSky("street canyon, buses pass at 3 m/s", .canyon) {
            $0.passingSeconds = 120
            $0.passingMetersPerSecond = 3
        },
        NamedSky("street canyon, glides in 5 s", .canyon) { $0.glideSeconds = 5 },
        NamedSky("street canyon, glides in 15 s", .canyon) { $0.glideSeconds = 15 },
        NamedSky("street canyon, glides in 5 s, a third of it in the speed", .canyon) {
            $0.glideSeconds = 5
            $0.glideInSpeed = 0.33
        },
        NamedSky("in the open, speeds below 0.3 m/s are 0", ChangingSky(accuracyMeters: 2.5...6)) {
            $0.holdMetersPerSecond = 0.3
        },
        NamedSky("street canyon, speeds below 0.3 m/s are 0", .canyon) { $0.holdMetersPerSecond = 0.3 },
        NamedSky("street canyon, speeds below 1 m/s are 0", .canyon) { $0.holdMetersPerSecond = 1 },
        NamedSky("street canyon, speeds below 0.3 m/s are 0, glides in 5 s, a third of it in the speed", .canyon) {
            $0.holdMetersPerSecond = 0.3
            $0.glideSeconds = 5
            $0.glideInSpeed = 0.33
        },
        NamedSky("street canyon, no speed", .canyon) { $0.tellsSpeed = false },
        NamedSky("street canyon, no speed, hops of 80 m", .canyon) {
            $0.tellsSpeed = false
            $0.hopMeters = 80
        },
        NamedSky("street canyon, no speed, glides in 5 s", .canyon) {
            $0.tellsSpeed = false
            $0.glideSeconds = 5
        },
    ]
    private static let left = [
        "in the open", "street canyon, hops", "street canyon, hops of 80 m", "street canyon, no speed",
    ]

    func report() {
        for sky in Self.usual + Self.canyons { reportDistance(sky) }
        for sky in Self.usual + Self.canyons where Self.left.contains(sky.name) {
            for leaving in StayTrack.Leaving.allCases { reportLeaving(sky, leaving) }
        }
    }

    private func reportDistance(_ sky: NamedSky) {
        let captures = (1...StayingReceiver.stays).map { seed in
            var track = StayTrack(seed: seed)
            var above = sky.sky
            track.stay(under: &above, seconds: Int(StayingReceiver.hours * 3600))
            return Capture(fixes: track.fixes)
        }
        let outcomes = captures.map { Outcome($0) }
        let ours = outcomes.map { $0.meters / StayingReceiver.hours }
        let naive = captures.map { $0.lineMeters / StayingReceiver.hours }
        row(
            "parked \(sky.name): false metres an hour, median and p90; trips",
            "\(text(ours.median, 1)), \(text(ours.quantile(0.9), 1)); \(outcomes.reduce(0) { $0 + $1.trips.count })",
            naive: "\(text(naive.median, 0)), \(text(naive.quantile(0.9), 0))", bar: "2, 20; 0")
    }

    /// Reports an hour at a place after a drive, and a departure in town, all under the same sky.
    private func reportLeaving(_ sky: NamedSky, _ leaving: StayTrack.Leaving) {
        var (found, others) = (0, 0)
        var starts: [Double] = []
        var delays: [Double] = []
        var distances: [Double] = []
        for seed in 1...(2 * StayingReceiver.stays) {
            var track = StayTrack(seed: seed)
            track.arrive(onFoot: false)
            var above = sky.sky
            track.stay(under: &above, seconds: 3600)
            let out = track.time
            track.leave(leaving, under: &above)
            let end = track.time
            track.stay(under: &above, seconds: 600)
            let outcome = Outcome(Capture(fixes: track.fixes))
            distances.append(outcome.meters / track.trueMeters - 1)
            let trips = outcome.trips.dropFirst()
            let trip = trips.first { $0.overlapSeconds(Span(start: out, end: end)) > end.seconds(since: out) / 2 }
            others += trips.count - (trip == nil ? 0 : 1)
            guard let trip else { continue }
            found += 1
            starts.append(trip.start.seconds(since: out))
            delays += outcome.delay(of: "transport", startingAt: trip.start).map { $0 + trip.start.seconds(since: out) }
        }
        let name = "leaving, \(leaving), \(sky.name): "
        row(name + "trips found / others", "\(found) of \(2 * StayingReceiver.stays) / \(others)", bar: "all / 0")
        row(
            "  start, median and worst; told after, median, worst (s)",
            "\(text(starts.median, 0)), \(text(starts.map(abs).max() ?? .nan, 0)); "
                + "\(text(delays.median, 0)), \(text(delays.max() ?? .nan, 0))", bar: "30, 60; 60")
        row(
            "  distance, |median| and worst",
            "\(percent(distances.map(abs).median)), \(percent(distances.map(abs).max()))", bar: "")
    }

    private func percent(_ share: Double?) -> String { "\(text(100 * (share ?? .nan), 1)) %" }
}
