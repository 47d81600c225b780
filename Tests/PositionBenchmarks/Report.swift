/// The final table.
struct Report {
    struct Row {
        var what: String
        var ours: String
        var others = ""
        var ratio = ""
        var bar = ""
        var isMet: Bool?
    }

    private(set) var rows: [Row] = []

    mutating func add(
        _ what: String, ours: String, others: String = "", ratio: String = "", bar: String = "", isMet: Bool? = nil
    ) {
        rows.append(Row(what: what, ours: ours, others: others, ratio: ratio, bar: bar, isMet: isMet))
    }

    /// Adds a row for a measurement that failed, with the reason.
    mutating func fail(_ what: String, _ error: any Error) {
        add(what, ours: "not measured: \(error)")
    }

    func print() {
        let cells =
            [["what", "ours", "others", "ratio", "bar", "met"]]
            + rows.map {
                [$0.what, $0.ours, $0.others, $0.ratio, $0.bar, $0.isMet.map { $0 ? "yes" : "NO" } ?? ""]
            }
        let widths = (0..<6).map { column in cells.map { $0[column].count }.max() ?? 0 }
        for line in cells {
            let padded = zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            Swift.print(padded.joined(separator: "  "))
        }
    }
}

/// The results of several runs.
struct Samples {
    let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    var median: Double { sorted.isEmpty ? .nan : sorted[sorted.count / 2] }
    var smallest: Double { sorted.first ?? .nan }
    var largest: Double { sorted.last ?? .nan }
    func quantile(_ part: Double) -> Double {
        sorted.isEmpty ? .nan : sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
    }
}

/// Returns a number with a fixed count of decimals.
func text(_ value: Double, _ decimals: Int = 2) -> String {
    guard value.isFinite else { return "-" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value.magnitude * scale).rounded())
    let whole = "\(scaled / Int(scale))"
    let sign = value < 0 ? "-" : ""
    guard decimals > 0 else { return sign + whole }
    let fraction = "\(scaled % Int(scale))"
    return sign + whole + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
}
