/// A text in the format OpenMetrics 1.0, which is also valid for readers of the Prometheus text format.
struct OpenMetricsText {
    /// A label of a sample.
    typealias Label = (name: String, value: String)

    private var lines: [String] = []

    /// The finished text.
    var text: String { (lines + ["# EOF", ""]).joined(separator: "\n") }

    /// Adds a gauge with one sample for each set of labels.
    mutating func gauge(_ name: String, _ help: String, _ samples: [([Label], Double)]) {
        begin(name, "gauge", help)
        for (labels, value) in samples { add(name, labels, value) }
    }

    /// Adds a counter, whose samples end with `_total`.
    mutating func counter(_ name: String, _ help: String, _ samples: [([Label], Double)]) {
        begin(name, "counter", help)
        for (labels, value) in samples { add(name + "_total", labels, value) }
    }

    /// Adds a histogram with one set of classes for each set of labels.
    mutating func histogram(_ name: String, _ help: String, _ samples: [([Label], Histogram)]) {
        begin(name, "histogram", help)
        for (labels, histogram) in samples {
            var count = 0
            for (bound, number) in zip(histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
                count += number
                add(name + "_bucket", labels + [("le", bound)], Double(count))
            }
            add(name + "_count", labels, Double(count))
            add(name + "_sum", labels, histogram.sum)
        }
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
        lines.append("# TYPE \(name) \(type)")
        lines.append("# HELP \(name) \(Self.escaped(help))")
    }

    private mutating func add(_ name: String, _ labels: [Label], _ value: Double) {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        lines.append("\(name)\(list.isEmpty ? "" : "{\(list)}") \(Self.text(value))")
    }

    private static func text(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
