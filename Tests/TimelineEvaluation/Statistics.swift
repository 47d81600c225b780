/// Order statistics of a sample.
extension [Double] {
    func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        let position = share * Double(count - 1)
        let low = Int(position)
        let high = Swift.min(low + 1, count - 1)
        return sorted[low] + (position - Double(low)) * (sorted[high] - sorted[low])
    }

    var median: Double { quantile(0.5) }
    var mean: Double { isEmpty ? .nan : reduce(0, +) / Double(count) }
}

func text(_ value: Double, _ decimals: Int = 2) -> String {
    guard value.isFinite else { return "–" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (value * scale).rounded()
    let whole = Int(scaled.magnitude / scale)
    let rest = String(Int(scaled.magnitude) % Int(scale))
    let sign = scaled < 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    return "\(sign)\(whole).\(String(repeating: "0", count: decimals - rest.count))\(rest)"
}

/// Prints a row of the table: the measurement, our result, that of the naive rule, and the limit.
func row(_ what: String, _ ours: String, naive: String = "", bar: String) {
    func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
    print("\(padded(what, 58)) \(padded(ours, 34)) \(padded(naive, 26)) \(bar)")
}
