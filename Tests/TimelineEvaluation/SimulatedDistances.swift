import OdographGeodesy
import OdographHarness

/// The odometer on simulated drives with an exact truth: on roads of each kind, with good and bad receivers, from 10 Hz
/// to one fix a minute.
struct SimulatedDistances {
    /// Returns the number of drives on each kind of road. Drives at 10 Hz take long.
    private static func drives(everySeconds seconds: Double) -> Int { seconds < 1 ? 5 : 25 }
    /// Returns the number of phases at which each drive is sampled. Sparse fixes may be at any phase of a drive.
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
                        let offset = seconds * Double(phase) / Double(count)
                        let result = DistanceResult(
                            of: Capture(fixes: drive.fixes(everySeconds: seconds, after: offset)),
                            truth: drive.trueMeters(everySeconds: seconds, after: offset))
                        own[index].add(result)
                        together[index].add(result)
                    }
                }
            }
            byRoad.append(own)
        }
        for coverage in together { coverage.report() }
        for own in byRoad { for coverage in own.suffix(3) { coverage.report() } }
    }
}
