import OdographCivilTime
import OdographHarness
import OdographModel

/// Vehicles and bicycles in a town with a fix in half a minute to two minutes: what the trips are called.
///
/// Between two such fixes lie halts and bends, so a vehicle in streets is about as fast as a cyclist.
struct SparseFixes {
    private static let seeds = 20 as UInt64
    private static let intervals = [30.0, 60, 120]

    /// One kind of road user.
    private struct Rider {
        let name: String
        let metersPerSecond: ClosedRange<Double>
        /// The share of the crossings with a halt, and its length in seconds.
        let halts: (share: Double, seconds: ClosedRange<Double>)
    }

    private static let riders = [
        Rider(name: "vehicle", metersPerSecond: 8...14, halts: (0.4, 5...60)),
        Rider(name: "vehicle in dense traffic", metersPerSecond: 5...12, halts: (0.6, 10...90)),
        Rider(name: "bicycle", metersPerSecond: 4...6.5, halts: (0.2, 5...40)),
    ]

    /// The time of the trips by the class of what is reported then, seconds.
    private typealias Shares = [String: Double]

    let phones: PhoneDrives

    func report() {
        for rider in Self.riders {
            for seconds in Self.intervals {
                for hasSpeed in [true, false] {
                    let shares = Self.shares(rider, everySeconds: seconds, hasSpeed: hasSpeed)
                    row(
                        "\(rider.name) in a town, a fix in \(text(seconds, 0)) s\(hasSpeed ? "" : ", without speed")",
                        Self.written(shares), bar: "")
                }
            }
        }
        for seconds in Self.intervals {
            let score = phones.changed { $0.every(seconds) }.modeScore
            row(
                "phones, a fix in \(text(seconds, 0)) s, right",
                score.byClass.map { "\($0.name) \(text($0.right))" }.joined(separator: " "), bar: "")
        }
    }

    private static func written(_ shares: Shares) -> String {
        let total = shares.values.reduce(0, +)
        return ["vehicle", "bicycle", "foot", "none", "still"]
            .map { "\($0) \(text(100 * shares[$0, default: 0] / total, 0))" }.joined(separator: " ") + " %"
    }

    private static func shares(_ rider: Rider, everySeconds seconds: Double, hasSpeed: Bool) -> Shares {
        var shares = Shares()
        for seed in 1...seeds {
            let (fixes, trips) = day(of: rider, seed: seed)
            var sparse = Capture(fixes: fixes).every(seconds).fixes
            if !hasSpeed { sparse.forEach { $0.speedMetersPerSecond = nil } }
            let outcome = Outcome(Capture(fixes: sparse))
            for trip in trips {
                for second in stride(from: 0, to: trip.seconds, by: 5) {
                    let event = outcome.event(at: trip.start.advanced(bySeconds: second))
                    shares[event?.carrierClass ?? "none", default: 0] += 5
                }
            }
        }
        return shares
    }

    private static func day(of rider: Rider, seed: UInt64) -> (fixes: [Fix], trips: [Span]) {
        var random = SplitMix64(seed: seed)
        var day = HaltingVehicle(seed: seed)
        for _ in 0..<4 {
            day.park(seconds: Double.random(in: 600...1800, using: &random))
            for street in 0..<Int.random(in: 15...50, using: &random) {
                if street > 0 {
                    let isHalting = Double.random(in: 0..<1, using: &random) < rider.halts.share
                    day.halt(seconds: isHalting ? rider.halts.seconds : 0...0)
                }
                day.go(
                    meters: 150...600, metersPerSecond: rider.metersPerSecond,
                    turnDegrees: Double.random(in: 0..<1, using: &random) < 0.3 ? -90...90 : 0...0)
            }
        }
        day.park(seconds: 900)
        return (day.fixes, day.trips)
    }
}
