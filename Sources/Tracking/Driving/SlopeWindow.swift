import OdographCivilTime

/// The rate of change of a value over about a second.
struct SlopeWindow: Equatable, Sendable, Codable {
    /// A value at a time.
    struct Sample: Equatable, Sendable, Codable {
        var time: Timestamp
        var value: Double
    }

    /// A rate of change, and the time to which it belongs.
    struct Slope: Equatable {
        /// The change per second.
        var perSecond: Double
        /// The start of the time that it describes.
        var start: Timestamp
        /// The end of that time.
        var end: Timestamp
        /// Whether it is a regression of several values, and not the difference of two.
        var isDense: Bool
        /// The deviation of the values from the regression; 0 for two values.
        var residual = 0.0
    }

    /// The length of the window, seconds, with the jitter of a receiver that reports once a second.
    private static let seconds = 1.05
    /// The number of values from which a regression is used.
    private static let densestPair = 3
    /// The longest time between two values, seconds: longer ones hide a manoeuvre.
    static let longestStepSeconds = 2.5
    /// The shortest time between two values, seconds: shorter ones repeat a value.
    private static let shortestStepSeconds = 0.02

    private var samples: [Sample] = []

    init() {}

    /// The newest value.
    var last: Sample? { samples.last }

    /// Adds a value.
    /// - Returns: the slope at it; nil for the first one after an interruption.
    mutating func add(_ value: Double, at time: Timestamp) -> Slope? {
        guard let last else {
            samples = [Sample(time: time, value: value)]
            return nil
        }
        let step = time.seconds(since: last.time)
        guard (Self.shortestStepSeconds...Self.longestStepSeconds).contains(step) else {
            if step < 0 || step > Self.longestStepSeconds { samples = [Sample(time: time, value: value)] }
            return nil
        }
        samples.removeAll { time.seconds(since: $0.time) > Self.seconds && $0.time < last.time }
        if step > Self.seconds || samples.count == 1 || time.seconds(since: samples[0].time) > Self.seconds {
            samples = [last]
        }
        samples.append(Sample(time: time, value: value))
        return slope
    }

    /// Forgets the values.
    mutating func reset() { samples = [] }

    private var slope: Slope? {
        guard let first = samples.first, let last = samples.last, samples.count > 1 else { return nil }
        let length = last.time.seconds(since: first.time)
        guard samples.count >= Self.densestPair else {
            return Slope(
                perSecond: (last.value - first.value) / length, start: first.time, end: last.time, isDense: false)
        }
        // A short window after an interruption is mostly noise.
        guard length >= Self.seconds / 2 else { return nil }
        let times = samples.map { $0.time.seconds(since: first.time) }
        let meanTime = times.reduce(0, +) / Double(times.count)
        let meanValue = samples.reduce(0) { $0 + $1.value } / Double(samples.count)
        var (products, squares) = (0.0, 0.0)
        for (time, sample) in zip(times, samples) {
            products += (time - meanTime) * (sample.value - meanValue)
            squares += (time - meanTime) * (time - meanTime)
        }
        // The regression is that of the middle of the window.
        let middle = first.time.advanced(bySeconds: meanTime)
        let perSecond = products / squares
        let errors = zip(times, samples).reduce(0) { sum, pair in
            let error = pair.1.value - meanValue - perSecond * (pair.0 - meanTime)
            return sum + error * error
        }
        return Slope(
            perSecond: perSecond, start: middle, end: middle, isDense: true,
            residual: (errors / Double(samples.count)).squareRoot())
    }
}
