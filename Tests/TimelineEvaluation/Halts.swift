import OdographCivilTime
import OdographHarness
import OdographModel
import OdographTracking

/// Traffic jams, yards, depots and short stops: what is a halt, what is a stop, and where a trip begins.
struct Halts {
    /// A kind of scene.
    struct Scene: Sendable {
        let name: String
        let seeds: UInt64
        /// The number of faults that were reached with a mounted receiver.
        let limit: Double
        /// The same for a receiver that may be carried; nil if it is not checked.
        let carriedLimit: Double?
        fileprivate let play: @Sendable (inout HaltingVehicle) -> Void
        fileprivate let accuracyMeters: ClosedRange<Double>

        fileprivate init(
            _ name: String, seeds: UInt64 = 20, accuracyMeters: ClosedRange<Double> = 3...10, limit: Double = 0,
            carriedLimit: Double? = nil, play: @escaping @Sendable (inout HaltingVehicle) -> Void
        ) {
            self.name = name
            self.seeds = seeds
            self.accuracyMeters = accuracyMeters
            self.limit = limit
            self.carriedLimit = carriedLimit
            self.play = play
        }
    }

    let isVerbose: Bool
    /// The seed before the first one.
    var seed: UInt64 = 0

    func report() {
        for scene in Self.scenes {
            for vehicle in [nil, TransportMode.car] {
                faults(of: scene, aboard: vehicle).report(scene.name, aboard: vehicle)
            }
        }
    }

    /// Returns the faults of the timelines of a scene.
    func faults(of scene: Scene, aboard vehicle: TransportMode?) -> TimelineFaults {
        var faults = TimelineFaults()
        for seed in (seed + 1)...(seed + scene.seeds) {
            var track = HaltingVehicle(seed: seed, accuracyMeters: scene.accuracyMeters)
            scene.play(&track)
            let outcome = Outcome(Capture(fixes: track.fixes), aboard: vehicle)
            let isRight = faults.add(outcome, fixes: track.fixes, trips: track.trips)
            guard isVerbose, !isRight, let zero = track.fixes.first?.timestamp else { continue }
            print("    \(scene.name), \(vehicle?.rawValue ?? "carried"), \(seed):")
            print(
                "     ",
                track.trips.map {
                    "\(text($0.start.seconds(since: zero), 0))…\(text($0.end.seconds(since: zero), 0))"
                })
            print("     ", outcome.events.map { $0.brief(since: zero) }.joined(separator: " | "))
        }
        return faults
    }

    static let scenes = jams + [yard, depot, pump] + stops + [appearing]

    /// Half an hour of stop and go between two free stretches of a motorway.
    ///
    /// Between long halts, a step of a car's length or two can be missed: the odometer counts it only when positions
    /// and speeds have agreed on it.
    private static let jams = [(10.0...60, 0), (20...100, 0), (60...240, 5), (200...290, 2)].map { halts, limit in
        let name = "jam, halts of \(text(halts.lowerBound, 0)) to \(text(halts.upperBound, 0)) s"
        return Scene(name, limit: limit) { track in
            track.park(seconds: 600)
            track.go(meters: 6500...6500, metersPerSecond: 25...25, turnDegrees: 40...40)
            let begin = track.fixes.count
            while track.fixes.count < begin + 1800 {
                track.halt(seconds: halts)
                track.go(
                    meters: 8...58,
                    metersPerSecond: 1.2...3.1)
            }
            track.halt(seconds: halts)
            track.go(meters: 6500...6500, metersPerSecond: 25...25, turnDegrees: (-40)...(-40))
            track.park(seconds: 900)
        }
    }

    /// A shift of three hours in a yard.
    private static let yard = Scene("yard, halts of 60 to 100 s", carriedLimit: 6) { track in
        track.park(seconds: 1200)
        let begin = track.fixes.count
        while track.fixes.count < begin + 10_800 {
            track.go(
                meters: 8...130, metersPerSecond: 2.5...2.5,
                turnDegrees: -180...180)
            track.halt(seconds: 60...100)
        }
        track.go(meters: 60...60, metersPerSecond: 2.5...2.5)
        track.park(seconds: 1200)
    }

    /// Shunting by forty metres between two long stops.
    private static let depot = Scene("depot, 40 m in five hours", accuracyMeters: 9.8...9.9, limit: 6) { track in
        track.park(seconds: 9000)
        track.go(meters: 20...20, metersPerSecond: 1.3...1.3)
        track.halt(seconds: 70...70)
        track.go(meters: 20...20, metersPerSecond: 1.3...1.3)
        track.park(seconds: 9000)
    }

    /// At the pump, and then in front of the shop: nowhere for five minutes.
    private static let pump = Scene("at the pump, then at the shop") { track in
        track.park(seconds: 600)
        track.go(meters: 4000...4000, metersPerSecond: 12...12)
        track.halt(seconds: 150...250)
        track.go(meters: 40...40, metersPerSecond: 3...3, turnDegrees: 45...45)
        track.halt(seconds: 150...250)
        track.go(meters: 4000...4000, metersPerSecond: 12...12)
        track.park(seconds: 900)
    }

    /// Stops around the shortest one that divides a trip.
    private static let stops = [270.0, 285, 290, 310, 315, 330].map { seconds in
        Scene("a stop of \(text(seconds, 0)) s") { track in
            track.park(seconds: 600)
            track.go(meters: 4000...4000, metersPerSecond: 12...12)
            if seconds < TimelineRule().shortestStopSeconds {
                track.halt(seconds: seconds...seconds)
            } else {
                track.park(seconds: seconds)
            }
            track.go(meters: 4000...4000, metersPerSecond: 12...12)
            track.park(seconds: 900)
        }
    }

    /// A silence of eight minutes on the way.
    private static let appearing = Scene("appearing on the way after a gap") { track in
        track.park(seconds: 600)
        track.go(meters: 4000...4000, metersPerSecond: 15...15)
        track.vanish(seconds: 480, metersPerSecond: 15)
        track.go(meters: 4000...4000, metersPerSecond: 15...15)
        track.park(seconds: 900)
    }
}
