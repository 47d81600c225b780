import Odograph
import OdographCivilTime
import OdographTerminal

/// Tick values for chart axes.
enum AxisTicks {
    /// Returns the largest of 1, 2 and 5 times a power of ten up to `value`; 1 unless it is positive and finite.
    static func roundNumber(atMost value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value { power /= 10 }
        return [5, 2, 1].map { $0 * power }.first { $0 <= value } ?? power
    }

    /// Returns about `count` round values, from 0 to at least `largest`.
    static func values(upTo largest: Double, count: Int) -> [Double] {
        let top = max(largest, 1e-9)
        var step = roundNumber(atMost: top / Double(count))
        if top / step > Double(count) * 1.6 { step = roundNumber(atMost: step * 2.5) }
        let last = Int((top / step).rounded(.up))
        return (0...max(last, 1)).map { Double($0) * step }
    }

    private static let timeSteps: [Double] = [
        10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000,
        31_536_000,
    ]

    /// Returns round times (UTC) in an interval, each with its label.
    static func times(from: Timestamp, to: Timestamp, count: Int) -> [(time: Timestamp, label: String)] {
        let seconds = to.seconds(since: from)
        let step = timeSteps.first { seconds / $0 <= Double(count) } ?? timeSteps[timeSteps.count - 1]
        let isDays = step >= 43_200
        var ticks: [(Timestamp, String)] = []
        var second = (Double(from.millisecondsSinceEpoch) / 1000 / step).rounded(.up) * step
        while second * 1000 <= Double(to.millisecondsSinceEpoch) {
            let time = Timestamp(millisecondsSinceEpoch: Int64(second * 1000))
            let text = Format.time(time)
            let label = isDays ? String(text.prefix(10).suffix(5)) : String(text.suffix(8).prefix(step < 60 ? 8 : 5))
            ticks.append((time, label))
            second += step
        }
        return ticks
    }
}
