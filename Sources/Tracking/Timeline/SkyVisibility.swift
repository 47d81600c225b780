import CivilTime
import Glibc

/// How well the receiver has seen the sky in a stay.
///
/// Who comes out of a building sees better than ever in it. At a window, or where satellites come and go, it is soon
/// known how good it can be there.
struct SkyVisibility: Equatable, Sendable, Codable {
    /// Accuracy is much the same for so long, seconds; a longer epoch tells no more.
    private static let longestSampleSeconds = 60.0
    /// The best of twenty looks is beaten by the next one by chance in one of twenty cases, whatever the receiver.
    private static let minimumObservedSeconds = 20 * longestSampleSeconds

    /// When the stay began that it is of.
    let since: Timestamp
    private var bestAccuracyMeters: Double?
    /// How long it was looked at, seconds.
    private var observedSeconds = 0.0

    init(since begin: Timestamp) { since = begin }

    /// The best accuracy that has lasted for some epochs of the stay, metres; nil while that is little to go by.
    var reliableBestAccuracyMeters: Double? {
        observedSeconds >= Self.minimumObservedSeconds ? bestAccuracyMeters : nil
    }

    /// Looks at the oldest epochs of the history, for the newest may be outdoors already: if they are of the stay, and not
    /// of its first minutes, when somebody may still be at the door.
    mutating func update(with history: MovementHistory, intervalSeconds: Double) {
        guard history.isFull, history.start(of: 0).seconds(since: since) >= intervalSeconds else { return }
        let seen = exp(history.meanLogAccuracy(of: 0..<DepartureParameters.baselineWindowCounts.lowerBound))
        let rounded = (seen * 100).rounded() / 100
        bestAccuracyMeters = min(bestAccuracyMeters ?? rounded, rounded)
        observedSeconds += min(
            history.windows[1].time.seconds(since: history.windows[0].time), Self.longestSampleSeconds
        ).rounded()
    }
}
