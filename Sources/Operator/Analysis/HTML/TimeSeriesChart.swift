import Odograph
import OdographCivilTime
import OdographTerminal

/// A chart of a quantity over time.
struct TimeSeriesChart {
    /// A point of the curve. The curve is interrupted before it if `hasGapBefore` is true.
    struct Sample {
        let time: Timestamp
        let value: Double
        /// The largest error of `value`. If all are 0, no band is drawn.
        var uncertainty = 0.0
        var hasGapBefore = false
    }

    let name: String
    let unit: String
    let cssClass: String
    let samples: [Sample]
    /// The first time on the axis. All charts of a page have the same time axis.
    let from: Timestamp
    let to: Timestamp
    /// The smallest top value of the axis, so that noise around 0 is not enlarged.
    let minimumAxisTop: Double

    private static let width = 960.0
    private static let height = 220.0
    private static let left = 56.0
    private static let right = 16.0
    private static let top = 26.0
    private static let bottom = 30.0

    var svg: String {
        guard samples.count > 1, from < to else { return "" }
        let largest = samples.map { $0.value + $0.uncertainty }.max() ?? 1
        let ticks = AxisTicks.values(upTo: max(largest, minimumAxisTop), count: 4)
        let axes = Axes(from: from, to: to, top: ticks[ticks.count - 1])
        var content = Markup.text("\(name), \(unit)", x: Self.left, y: 14, anchor: "start", style: "title")
        content += Markup.text("time, UTC", x: Self.width - Self.right, y: 14, anchor: "end")
        for tick in ticks {
            let y = axes.y(tick)
            content += Markup.line(Self.left, y, Self.width - Self.right, y, style: tick == 0 ? "axis" : "grid")
            content += Markup.text(Self.label(tick, step: ticks[1]), x: Self.left - 8, y: y + 4, anchor: "end")
        }
        for tick in AxisTicks.times(from: from, to: to, count: 10) {
            let x = axes.x(tick.time)
            content += Markup.line(x, Self.height - Self.bottom, x, Self.height - Self.bottom + 5, style: "axis")
            content += Markup.text(tick.label, x: x, y: Self.height - 8)
        }
        return Markup.svg(
            content + uncertaintyBand(axes) + curvePaths(axes), width: Self.width, height: Self.height,
            name: "\(name) over time")
    }

    private func curvePaths(_ axes: Axes) -> String {
        var paths = ""
        var run: [(x: Double, y: Double)] = []
        for sample in samples {
            if sample.hasGapBefore {
                paths += Markup.path(run, style: cssClass)
                run.removeAll()
            }
            run.append((axes.x(sample.time), axes.y(sample.value)))
        }
        return paths + Markup.path(run, style: cssClass)
    }

    /// Returns the band of possible true values.
    private func uncertaintyBand(_ axes: Axes) -> String {
        guard samples.contains(where: { $0.uncertainty > 0 }) else { return "" }
        let upper = samples.map { (x: axes.x($0.time), y: axes.y($0.value + $0.uncertainty)) }
        let lower = samples.reversed().map { (x: axes.x($0.time), y: axes.y(max($0.value - $0.uncertainty, 0))) }
        return Markup.path(upper + lower, style: "band")
    }

    private static func label(_ value: Double, step: Double) -> String {
        value.formatted(decimals: step >= 1 ? 0 : step >= 0.1 ? 1 : 2)
    }

    private struct Axes {
        let from: Timestamp
        let to: Timestamp
        let top: Double

        func x(_ time: Timestamp) -> Double {
            let share = time.seconds(since: from) / to.seconds(since: from)
            return TimeSeriesChart.left + share * (TimeSeriesChart.width - TimeSeriesChart.left - TimeSeriesChart.right)
        }

        func y(_ value: Double) -> Double {
            let room = TimeSeriesChart.height - TimeSeriesChart.top - TimeSeriesChart.bottom
            return TimeSeriesChart.height - TimeSeriesChart.bottom - value / top * room
        }
    }
}
