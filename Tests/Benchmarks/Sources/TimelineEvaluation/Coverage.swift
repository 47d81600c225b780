/// How often the truth lay within what the odometer says of its error, and how large that was.
struct Coverage {
    private let name: String
    /// What the truth itself may be wrong, as a part of the distance.
    private let truthError: Double
    private var errors: [Double] = []
    private var bounds: [Double] = []
    private var naives: [Double] = []

    init(_ name: String, truthError: Double = 0) {
        self.name = name
        self.truthError = truthError
    }

    /// - Parameters:
    ///   - error: of the odometer, as a part of the true distance.
    ///   - bound: what it says of its error, as a part of the true distance.
    ///   - naive: the error of the sum of the straight lines, as a part of the true distance.
    mutating func add(error: Double, bound: Double, naive: Double) {
        errors.append(error)
        naives.append(naive)
        bounds.append(bound)
    }

    func report() {
        let inside = zip(errors, bounds).count { abs($0) <= $1 + truthError }
        let truth = truthError > 0 ? " (truth ±\(text(truthError * 100, 0)) %)" : ""
        row(
            "odometer, \(name): |error| median, mean error",
            "\(text(errors.map(abs).median * 100)) %, \(text(errors.mean * 100)) %",
            naive: "\(text(naives.map(abs).median * 100)) %, \(text(naives.mean * 100)) %", bar: "")
        row(
            "  truth inside the bound\(truth) / its median",
            "\(inside) of \(errors.count) / ±\(text(bounds.median * 100)) %",
            bar: "95 % / 2 %")
    }
}
