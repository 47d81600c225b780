import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Speed calibration against positions")
struct SpeedCalibrationTests {
    /// Returns the odometer's error after a drive at 1 Hz whose speeds are multiplied by a factor.
    private func result(on road: SimulatedRoad, seed: UInt64, speedsTimes factor: Double) -> (
        error: Double, bound: Double
    ) {
        let drive = RoadDrive(on: road, seed: seed, seconds: 1200, from: RoadDrive.town)
        var odometer = Odometer()
        for var fix in drive.fixes(everySeconds: 1) {
            fix.speedMetersPerSecond = fix.speedMetersPerSecond.map { $0 * factor }
            odometer.advance(to: fix)
        }
        let truth = drive.trueMeters(everySeconds: 1)
        return (odometer.meters / truth - 1, odometer.errorMeters / truth)
    }

    @Test(
        "A correction below two standard errors counts as zero, from four on in full, and linearly in between",
        arguments: [(0, 0), (1.9, 0), (2, 0), (2.5, 1), (3, 2), (3.5, 3), (4, 4), (9, 9)] as [(Double, Double)])
    func certain(shareInErrors: Double, countsInErrors: Double) {
        let certain = SpeedCalibration.thresholded(shareInErrors / 100, standardError: 0.01)
        #expect(abs(certain - countsInErrors / 100) < 1e-12)
    }

    @Test(
        "With correct speeds the noise causes no correction, on any kind of road",
        arguments: SimulatedRoad.allCases)
    func right(road: SimulatedRoad) {
        for seed in 401...404 as ClosedRange<UInt64> {
            let result = result(on: road, seed: seed, speedsTimes: 1)
            #expect(abs(result.error) <= 0.005, "\(result)")
            #expect(result.bound <= 0.025, "\(result)")
        }
    }

    @Test(
        "Speeds that are some per cent too low are detected on straight roads",
        arguments: [SimulatedRoad.motorway, .countryRoad, .commute], [0.92, 0.95])
    func biased(road: SimulatedRoad, factor: Double) {
        for seed in 401...404 as ClosedRange<UInt64> {
            let result = result(on: road, seed: seed, speedsTimes: factor)
            #expect(abs(result.error) <= abs(1 - factor) / 3, "\(result)")
            #expect(abs(result.error) <= result.bound, "\(result)")
        }
    }
}
