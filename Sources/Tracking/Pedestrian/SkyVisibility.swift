import OdographCivilTime
import Glibc

/// The best accuracy of the receiver at a stop.
///
/// A person who comes out of a building has a better accuracy than ever inside. At a window, or where satellites come
/// and go, the best accuracy inside is soon known.
struct SkyVisibility: Equatable, Sendable, Codable {
    /// The time for which the accuracy is much the same, seconds. A longer window gives no more evidence.
    private static let longestSampleSeconds = 60.0
    /// The observation after which the best accuracy is reliable, seconds. The best of twenty samples is beaten by
    /// chance in one of twenty cases, whatever the receiver.
    private static let minimumObservedSeconds = 20 * longestSampleSeconds

    /// The start of the stop.
    let since: Timestamp
    private var bestAccuracyMeters: Double?
    private var observedSeconds = 0.0

    init(since begin: Timestamp) { since = begin }

    /// The best accuracy over some windows of the stop, metres. Nil until it was observed for long enough.
    var reliableBestAccuracyMeters: Double? {
        observedSeconds >= Self.minimumObservedSeconds ? bestAccuracyMeters : nil
    }

    /// Takes the oldest windows of the history, because the newest may be outdoors already. The first minutes of the
    /// stop do not count, because the person may still be at the door.
    mutating func update(with history: MovementHistory) {
        guard history.isFull, history.start(of: 0).seconds(since: since) >= history.rules.intervalSeconds else {
            return
        }
        let accuracy = (exp(IndoorExitDetector(history: history).oldestLogAccuracy) * 100).rounded() / 100
        bestAccuracyMeters = min(bestAccuracyMeters ?? accuracy, accuracy)
        observedSeconds += min(
            history.windows[1].time.seconds(since: history.windows[0].time), Self.longestSampleSeconds
        ).rounded()
    }
}
