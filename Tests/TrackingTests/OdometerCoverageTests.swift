import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The odometer's error on all kinds of roads")
struct OdometerCoverageTests {
    /// The result of one drive, as ratios to its length.
    struct Result {
        var error: Double
        var bound: Double
        var isInside: Bool { abs(error) <= bound }
    }

    private static let intervals = [10.0, 30, 60]

    /// Sixteen drives on each kind of road, each at two phases of every interval.
    private static let results: [SimulatedRoad: [Double: [Result]]] = {
        var all: [SimulatedRoad: [Double: [Result]]] = [:]
        for road in SimulatedRoad.allCases {
            for seed in 201...216 as ClosedRange<UInt64> {
                let seconds = 800 + 50 * Double(seed - 200)
                let drive = RoadDrive(on: road, seed: seed, seconds: seconds, from: RoadDrive.town)
                for interval in intervals {
                    for phase in 0..<2 {
                        let offset = interval * Double(phase) / 2
                        let result = result(of: drive, everySeconds: interval, after: offset)
                        all[road, default: [:]][interval, default: []].append(result)
                    }
                }
            }
        }
        return all
    }()

    private static func result(
        of drive: RoadDrive, everySeconds interval: Double, after offset: Double, change: (inout Fix) -> Void = { _ in }
    ) -> Result {
        var odometer = Odometer()
        for var fix in drive.fixes(everySeconds: interval, after: offset) {
            change(&fix)
            odometer.advance(to: fix)
        }
        let truth = drive.trueMeters(everySeconds: interval, after: offset)
        return Result(error: odometer.meters / truth - 1, bound: odometer.errorMeters / truth)
    }

    private func share(_ results: [Result]) -> Double {
        Double(results.count(where: \.isInside)) / Double(results.count)
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    @Test("The truth is within the error on 95 of 100 drives, at any interval of the fixes", arguments: intervals)
    func together(interval: Double) {
        let all = SimulatedRoad.allCases.flatMap { Self.results[$0]?[interval] ?? [] }
        #expect(all.count == 256)
        #expect(share(all) >= 0.95, "\(share(all))")
        let middle = median(all.map { abs($0.error) })
        #expect(middle <= (interval < 30 ? 0.008 : interval < 60 ? 0.03 : 0.06), "\(middle)")
    }

    @Test("No kind of road is often outside the error", arguments: SimulatedRoad.allCases, intervals)
    func alone(road: SimulatedRoad, interval: Double) {
        let results = Self.results[road]?[interval] ?? []
        #expect(share(results) >= (interval < 60 ? 0.95 : 0.85), "\(share(results))")
    }

    @Test("The error is small on straight roads and large on winding ones")
    func width() {
        func width(_ road: SimulatedRoad) -> Double {
            median(Self.results[road]?[60]?.map(\.bound) ?? [.infinity])
        }
        #expect(width(.motorway) <= 0.03, "\(width(.motorway))")
        #expect(width(.mountainRoad) >= 2 * width(.motorway))
    }

    @Test("Without speeds and headings the turns between positions show the tortuosity", arguments: [10.0, 30])
    func positionsOnly(interval: Double) {
        var results: [Result] = []
        for road in SimulatedRoad.allCases {
            for seed in 301...303 as ClosedRange<UInt64> {
                let drive = RoadDrive(on: road, seed: seed, seconds: 1500, from: RoadDrive.town)
                results.append(
                    Self.result(of: drive, everySeconds: interval, after: 0) {
                        $0.speedMetersPerSecond = nil
                        $0.headingDegrees = nil
                    })
            }
        }
        #expect(share(results) >= 0.9, "\(results)")
        #expect(median(results.map { abs($0.error) }) <= 0.05)
    }
}
