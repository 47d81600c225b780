import CivilTime
import Geodesy
import Measuring
import Tracking

/// The odometer on drives that are made up, where the truth is known to the millimetre: on roads of each kind, with good
/// receivers and bad, from 10 Hz to one fix a minute.
struct SimulatedDistances {
    /// As many drives on each kind of road: at 10 Hz they are long.
    private static func drives(everySeconds seconds: Double) -> Int { seconds < 1 ? 5 : 25 }
    /// Seldom fixes may come at any phase of a drive: each drive is seen at so many.
    private static func phases(everySeconds seconds: Double) -> Int { seconds < 10 ? 1 : 3 }
    private static let intervals = [0.1, 1, 10, 30, 60]

    func report() {
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return }
        var together = Self.intervals.map { Coverage("simulated, a fix in \(text($0, $0 < 1 ? 1 : 0)) s") }
        var byRoad: [[Coverage]] = []
        for road in SimulatedRoad.allCases {
            var own = Self.intervals.map { Coverage("\(road.rawValue), a fix in \(text($0, $0 < 1 ? 1 : 0)) s") }
            for seed in 1...25 as ClosedRange<UInt64> {
                let drive = RoadDrive(on: road, seed: seed, seconds: 600 + 72 * Double(seed), from: start)
                for (index, seconds) in Self.intervals.enumerated() where seed <= Self.drives(everySeconds: seconds) {
                    let count = Self.phases(everySeconds: seconds)
                    for phase in 0..<count {
                        let sights = drive.sights(everySeconds: seconds, after: seconds * Double(phase) / Double(count))
                        add(sights, accuracyMeters: drive.accuracyMeters, to: &own[index], and: &together[index])
                    }
                }
            }
            byRoad.append(own)
        }
        for coverage in together { coverage.report() }
        for own in byRoad { for coverage in own.suffix(3) { coverage.report() } }
    }

    private func add(
        _ sights: [RoadDrive.Sight], accuracyMeters: Double, to own: inout Coverage, and together: inout Coverage
    ) {
        guard let first = sights.first, let last = sights.last else { return }
        let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
        let capture = Capture(
            fixes: sights.map { sight in
                let time = start.advanced(bySeconds: sight.seconds)
                return Fix(
                    timestamp: time, received: Moment(replayed: time), coordinate: sight.coordinate,
                    accuracyMeters: accuracyMeters, speedMetersPerSecond: sight.speedMetersPerSecond,
                    headingDegrees: sight.headingDegrees)
            })
        let truth = last.trueMeters - first.trueMeters
        let outcome = Outcome(capture)
        let (error, bound) = (outcome.meters / truth - 1, outcome.errorMeters / truth)
        let naive = capture.lineMeters / truth - 1
        own.add(error: error, bound: bound, naive: naive)
        together.add(error: error, bound: bound, naive: naive)
    }
}
