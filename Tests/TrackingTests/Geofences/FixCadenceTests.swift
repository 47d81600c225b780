import Testing

@testable import OdographTracking

@Suite("The interval of the fixes")
struct FixCadenceTests {
    @Test(
        "The usual interval is the median of the last three in any order",
        arguments: [
            [2.0, 5, 30], [2, 30, 5], [5, 2, 30], [5, 30, 2], [30, 2, 5], [30, 5, 2], [5, 5, 2], [2, 5, 5], [5, 30, 5],
        ])
    func median(intervals: [Double]) {
        var cadence = FixCadence()
        for interval in [100] + intervals { cadence.add(intervalSeconds: interval) }
        #expect(cadence.medianSeconds == 5)
        #expect(!cadence.isSparse && cadence.gapSeconds == 15)
    }

    @Test(
        "Fixes are sparse from ten seconds on, and no shorter silence is a gap", arguments: [(9.9, false), (10, true)])
    func seldom(interval: Double, isSeldom: Bool) {
        var cadence = FixCadence()
        #expect(cadence.medianSeconds == 1 && cadence.gapSeconds == 10)
        for _ in 1...3 { cadence.add(intervalSeconds: interval) }
        #expect(cadence.isSparse == isSeldom)
        #expect(cadence.gapSeconds == 3 * interval)
    }
}
