import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographHarness
import OdographModel
import OdographTracking

/// A vehicle that is parked near the edge of a geofence, with noise and outliers. No event may be published.
struct ParkedVehicle {
    /// The standard deviation of an axis, metres.
    private static let noiseMeters = 6.0
    private static let hours = 24.0

    private struct Scene {
        var name: String
        /// The time constant of the error's decay, seconds; 0: the errors of fixes are independent.
        var memorySeconds: Double
        var speedNoise: Double?
        var accuracyMeters: Double?
    }

    func report() throws {
        let scenes = [
            Scene(name: "each fix errs anew", memorySeconds: 0, speedNoise: 0.1, accuracyMeters: 12),
            Scene(name: "each fix errs anew, position only", memorySeconds: 0, speedNoise: nil, accuracyMeters: nil),
            Scene(name: "errors last 10 s", memorySeconds: 10, speedNoise: 0.2, accuracyMeters: 12),
            Scene(name: "errors last 10 s, position only", memorySeconds: 10, speedNoise: nil, accuracyMeters: nil),
            Scene(name: "errors last 60 s", memorySeconds: 60, speedNoise: 0.1, accuracyMeters: 12),
            Scene(name: "errors last 60 s, position only", memorySeconds: 60, speedNoise: nil, accuracyMeters: nil),
        ]
        for scene in scenes {
            var ours = 0.0
            var naive = 0.0
            for (seed, offset) in [(1, 15.0), (2, -15), (3, 15), (4, -15)] as [(UInt64, Double)] {
                let result = try events(scene, offsetMeters: offset, seed: seed)
                ours += Double(result.ours)
                naive += Double(result.naive)
            }
            let hours = 4 * Self.hours
            row(
                "parked ±15 m from an edge, \(scene.name): events an hour", text(ours / hours),
                naive: text(naive / hours, 0), bar: "0.2")
        }
    }

    private func events(_ scene: Scene, offsetMeters: Double, seed: UInt64) throws -> (ours: Int, naive: Int) {
        guard let center = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return (0, 0) }
        let place = center.destination(headingDegrees: 70, distanceMeters: 100 + offsetMeters)
        let shape = Shape.circle(try Circle(center: center, radiusMeters: 100))
        let set = GeofenceSet([Geofence(identifier: "yard", shape: shape)])
        var noise = Noise(seed: seed, memorySeconds: scene.memorySeconds, deviation: Self.noiseMeters)
        let plane = LocalPlane(origin: place)
        let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
        var fixes: [Fix] = []
        for second in 0..<Int(Self.hours * 3600) {
            let time = start.advanced(bySeconds: Double(second))
            let seen = plane.coordinate(of: noise.next())
            fixes.append(
                Fix(
                    timestamp: time, received: ClockReading(replayed: time), coordinate: seen,
                    accuracyMeters: scene.accuracyMeters,
                    speedMetersPerSecond: scene.speedNoise.map { abs(noise.random.normal() * $0) }))
        }
        let events = Places.events(Capture(fixes: fixes), set).filter { $0.reason == nil }
        var naive = 0
        var wasInside: Bool?
        for fix in fixes {
            let isInside = center.distanceMeters(to: fix.coordinate) <= 100
            if let wasInside, wasInside != isInside { naive += 1 }
            wasInside = isInside
        }
        return (events.count, naive)
    }

    /// Correlated errors, and one outlier in two hundred, six times as large.
    private struct Noise {
        var random: SplitMix64
        private let keep: Double
        private let deviation: Double
        private var east = 0.0
        private var north = 0.0

        init(seed: UInt64, memorySeconds: Double, deviation: Double) {
            random = SplitMix64(seed: seed)
            keep = memorySeconds > 0 ? exp(-1 / memorySeconds) : 0
            self.deviation = deviation
        }

        mutating func next() -> LocalPoint {
            let fresh = deviation * (1 - keep * keep).squareRoot()
            east = east * keep + random.normal() * fresh
            north = north * keep + random.normal() * fresh
            let factor = Int.random(in: 0..<200, using: &random) == 0 ? 6.0 : 1
            return LocalPoint(eastMeters: east * factor, northMeters: north * factor)
        }
    }
}
