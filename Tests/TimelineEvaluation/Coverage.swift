/// How often the truth was within the odometer's error, and the size of that error.
struct Coverage {
    private let name: String
    /// The possible error of the truth, as a ratio to the distance.
    private let truthError: Double
    private var results: [DistanceResult] = []

    init(_ name: String, truthError: Double = 0) {
        self.name = name
        self.truthError = truthError
    }

    mutating func add(_ result: DistanceResult) { results.append(result) }

    func report() {
        let (errors, naives) = (results.map(\.error), results.map(\.naive))
        let inside = results.count { abs($0.error) <= $0.bound + truthError }
        let truth = truthError > 0 ? " (truth ±\(text(truthError * 100, 0)) %)" : ""
        row(
            "odometer, \(name): |error| median, mean error",
            "\(text(errors.map(abs).median * 100)) %, \(text(errors.mean * 100)) %",
            naive: "\(text(naives.map(abs).median * 100)) %, \(text(naives.mean * 100)) %", bar: "")
        row(
            "  truth inside the bound\(truth) / its median",
            "\(inside) of \(errors.count) / ±\(text(results.map(\.bound).median * 100)) %",
            bar: "95 % / 2 %")
    }
}
