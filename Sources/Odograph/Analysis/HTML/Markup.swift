import CivilTime

/// Text for HTML and SVG.
enum Markup {
    /// Text that came from outside, so that it is text and nothing else.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A coordinate of a drawing, to a tenth of a pixel.
    static func number(_ value: Double) -> String { value.text(decimals: 1) }

    static func text(
        _ text: String, x: Double, y: Double, anchor: String = "middle", style: String = "label"
    ) -> String {
        "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(escaped(text))</text>"
    }

    static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) -> String {
        "<line class=\"\(style)\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\"/>"
    }

    /// A path through points; nothing where there is no line.
    static func path(_ points: [(x: Double, y: Double)], style: String) -> String {
        guard let first = points.first, points.count > 1 else { return "" }
        var path = "M\(number(first.x)) \(number(first.y))"
        for point in points.dropFirst() { path += "L\(number(point.x)) \(number(point.y))" }
        return "<path class=\"\(style)\" d=\"\(path)\"/>"
    }

    /// A drawing with a name for those who cannot see it.
    static func drawing(_ content: String, width: Double, height: Double, name: String) -> String {
        """
        <svg viewBox="0 0 \(number(width)) \(number(height))" role="img" aria-label="\(escaped(name))">
        \(content)
        </svg>

        """
    }
}

/// Round numbers along an axis.
enum AxisTicks {
    /// The largest of 1, 2 and 5 times a power of ten that is not larger than a value; 1 for what is none.
    static func round(below value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value { power /= 10 }
        return [5, 2, 1].map { $0 * power }.first { $0 <= value } ?? power
    }

    /// About so many round values from 0 to a value at least as large as the largest.
    static func values(upTo largest: Double, count: Int) -> [Double] {
        let top = max(largest, 1e-9)
        var step = round(below: top / Double(count))
        if top / step > Double(count) * 1.6 { step = round(below: step * 2.5) }
        let last = Int((top / step).rounded(.up))
        return (0...max(last, 1)).map { Double($0) * step }
    }

    private static let timeSteps: [Double] = [
        10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000,
        31_536_000,
    ]

    /// Round times (UTC) within a time, each with its label.
    static func times(from: Timestamp, to: Timestamp, count: Int) -> [(time: Timestamp, label: String)] {
        let seconds = to.seconds(since: from)
        let step = timeSteps.first { seconds / $0 <= Double(count) } ?? timeSteps[timeSteps.count - 1]
        let isDays = step >= 43_200
        var ticks: [(Timestamp, String)] = []
        var second = (Double(from.millisecondsSinceEpoch) / 1000 / step).rounded(.up) * step
        while second * 1000 <= Double(to.millisecondsSinceEpoch) {
            let time = Timestamp(millisecondsSinceEpoch: Int64(second * 1000))
            let text = Text.time(time)
            let label = isDays ? String(text.prefix(10).suffix(5)) : String(text.suffix(8).prefix(step < 60 ? 8 : 5))
            ticks.append((time, label))
            second += step
        }
        return ticks
    }
}
