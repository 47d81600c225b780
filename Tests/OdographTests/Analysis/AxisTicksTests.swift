import OdographCivilTime
import Testing

@testable import Odograph
@testable import OdographOperator

@Suite("Axis ticks")
struct AxisTicksTests {
    @Test(
        "Ticks are round numbers, begin at 0 and reach the largest value",
        arguments: [0, 0.003, 0.7, 1, 4.2, 9.99, 47, 80, 1234, 99_999.5])
    func reach(largest: Double) {
        let values = AxisTicks.values(upTo: largest, count: 4)
        #expect(values.first == 0 && (values.last ?? 0) >= largest)
        #expect((2...9).contains(values.count), "\(values)")
    }

    @Test(
        "A round number is the largest of 1, 2 and 5 times a power of ten that does not exceed the value",
        arguments: [
            (0.0099, 0.005), (0.7, 0.5), (1, 1), (1.99, 1), (2, 2), (4.99, 2), (5, 5), (9.99, 5), (10, 10), (19, 10),
            (1234, 1000), (0, 1), (-3, 1), (.infinity, 1), (.nan, 1),
        ] as [(Double, Double)])
    func roundNumber(value: Double, expected: Double) {
        #expect(abs(AxisTicks.roundNumber(atMost: value) - expected) < 1e-12)
    }

    @Test(
        "The number of ticks is near the requested number",
        arguments: [
            (4.0, [0, 1, 2, 3, 4]), (6.5, [0, 2, 4, 6, 8]), (7.9, [0, 2, 4, 6, 8]), (9, [0, 2, 4, 6, 8, 10]),
            (100, [0, 20, 40, 60, 80, 100]), (0.3, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]),
        ] as [(Double, [Double])])
    func number(largest: Double, expected: [Double]) {
        let values = AxisTicks.values(upTo: largest, count: 4)
        #expect(values.count == expected.count && zip(values, expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(values)")
    }

    /// Axes with at most ten ticks: the length in seconds, the distance of the ticks in seconds, and the first label.
    private static let axes: [(seconds: Double, step: Double, label: String)] = [
        (100, 10, "08:00:00"), (101, 30, "08:00:00"), (301, 60, "08:00"), (601, 120, "08:00"), (1201, 300, "08:00"),
        (3001, 600, "08:00"), (6001, 900, "08:00"), (9001, 1800, "08:00"), (18_001, 3600, "08:00"),
        (36_001, 7200, "08:00"), (72_001, 10_800, "09:00"), (108_001, 21_600, "12:00"), (216_001, 43_200, "11-20"),
        (432_001, 86_400, "11-21"), (864_001, 172_800, "11-21"), (1_728_001, 604_800, "11-26"),
        (6_048_001, 2_592_000, "12-03"), (25_920_001, 31_536_000, "12-18"), (1e9, 31_536_000, "12-18"),
    ]

    @Test("Time ticks are round, and each has its label", arguments: axes)
    func timeTicks(axis: (seconds: Double, step: Double, label: String)) throws {
        let from = try #require(Timestamp(iso8601: "2026-11-20T08:00:00Z"))
        let ticks = AxisTicks.times(from: from, to: from.advanced(bySeconds: axis.seconds), count: 10)
        if let first = ticks.first { #expect(first.label == axis.label) }
        #expect(ticks.allSatisfy { $0.time.millisecondsSinceEpoch % Int64(axis.step * 1000) == 0 })
        for (tick, next) in zip(ticks, ticks.dropFirst()) { #expect(next.time.seconds(since: tick.time) == axis.step) }
        #expect(axis.step > 3e7 || ticks.count >= 2)
    }
}
