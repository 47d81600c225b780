import Glibc
import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import OdographTracking

/// A change of a drive that simulates another receiver.
struct Perturbation: Sendable {
    let name: String
    /// Whether the number of fixes stays the same.
    var keepsEveryFix = true
    /// The useful number of seeds.
    var seeds = 1 as UInt64
    fileprivate let change: @Sendable (inout [Fix], inout SplitMix64) -> Void

    func applied(to capture: Capture, seed: UInt64) -> Capture {
        var random = SplitMix64(seed: seed)
        var fixes = capture.fixes
        change(&fixes, &random)
        return Capture(fixes: fixes)
    }

    static var all: [Perturbation] { [asTheyAre] + omissions + claims + noises + losses }

    private static let asTheyAre = Perturbation(name: "as they are") { _, _ in }

    /// Values that some receivers do not report.
    private static let omissions = [
        Perturbation(name: "no speed") { fixes, _ in fixes.forEach { $0.speedMetersPerSecond = nil } },
        Perturbation(name: "no heading") { fixes, _ in fixes.forEach { $0.headingDegrees = nil } },
        Perturbation(name: "no speed, no heading") { fixes, _ in
            fixes.forEach {
                $0.speedMetersPerSecond = nil
                $0.headingDegrees = nil
            }
        },
        Perturbation(name: "no accuracy") { fixes, _ in
            fixes.forEach {
                $0.accuracyMeters = nil
                $0.speedAccuracyMetersPerSecond = nil
            }
        },
    ]

    /// Receivers with a smaller or larger reported accuracy.
    private static let claims = [0.5, 2].map { factor in
        Perturbation(name: "accuracy × \(factor)") { fixes, _ in
            fixes.forEach { $0.accuracyMeters = $0.accuracyMeters.map { $0 * factor } }
        }
    }

    private static let noises =
        [3.0, 6].map { meters in
            Perturbation(name: "positions wander \(Int(meters)) m more", seeds: 5) { fixes, random in
                wander(&fixes, deviationMeters: meters, memorySeconds: 40, &random)
            }
        } + [
            Perturbation(name: "speeds 0.3 m/s noisier", seeds: 5) { fixes, random in
                fixes.forEach { fix in
                    fix.speedMetersPerSecond = fix.speedMetersPerSecond.map { abs($0 + 0.3 * random.normal()) }
                }
            }
        ]

    private static let losses =
        [2.0, 3, 5, 10].map { seconds in
            Perturbation(name: "a fix in \(Int(seconds)) s", keepsEveryFix: false, seeds: 5) { fixes, random in
                let offset = Double.random(in: 0..<seconds, using: &random)
                fixes = Capture(fixes: fixes).every(seconds, after: offset).fixes
            }
        } + [
            Perturbation(name: "holes of a minute, one in ten", keepsEveryFix: false, seeds: 5) { fixes, random in
                lose(&fixes, every: 600, seconds: 60, &random)
            },
            Perturbation(name: "one fix in three lost", keepsEveryFix: false, seeds: 5) { fixes, random in
                fixes.removeAll { _ in Double.random(in: 0..<1, using: &random) < 1 / 3.0 }
            },
        ]

    /// Receivers that report seldom and no speed, with long gaps.
    static let taxis =
        [15.0, 60].map { seconds in
            Perturbation(name: "a fix in \(Int(seconds)) s, no speed", keepsEveryFix: false, seeds: 5) {
                fixes, random in
                let offset = Double.random(in: 0..<seconds, using: &random)
                fixes = Capture(fixes: fixes).every(seconds, after: offset).fixes
                fixes.forEach {
                    $0.speedMetersPerSecond = nil
                    $0.headingDegrees = nil
                }
            }
        } + [
            Perturbation(name: "gaps of ten minutes", keepsEveryFix: false, seeds: 10) { fixes, random in
                lose(&fixes, every: 1200, seconds: 600, &random)
            }
        ]

    /// Independent errors of the positions.
    static let whiteNoise = Perturbation(name: "with 5 m of noise more", seeds: 5) { fixes, random in
        fixes.forEach { $0.coordinate = LocalPlane(origin: $0.coordinate).coordinate(of: random.scatter(5)) }
    }

    /// Adds a correlated position error, such as multipath (a Gauss-Markov process).
    private static func wander(
        _ fixes: inout [Fix], deviationMeters: Double, memorySeconds: Double, _ random: inout SplitMix64
    ) {
        var error = LocalPoint.zero
        var last = fixes.first?.timestamp
        fixes.forEach { fix in
            let seconds = last.map { max(fix.timestamp.seconds(since: $0), 0) } ?? 0
            error = random.wandered(
                from: error, seconds: seconds, memorySeconds: memorySeconds, deviation: deviationMeters)
            fix.coordinate = LocalPlane(origin: fix.coordinate).coordinate(of: error)
            last = fix.timestamp
        }
    }

    private static func lose(_ fixes: inout [Fix], every: Double, seconds: Double, _ random: inout SplitMix64) {
        guard var next = fixes.first?.timestamp else { return }
        fixes = fixes.filter { fix in
            if fix.timestamp.seconds(since: next) > seconds {
                next = fix.timestamp.advanced(bySeconds: -every * log(Double.random(in: 1e-9..<1, using: &random)))
            }
            return fix.timestamp < next
        }
    }
}

extension [Fix] {
    /// Changes each fix.
    mutating func forEach(_ change: (inout Fix) -> Void) {
        for index in indices { change(&self[index]) }
    }
}
