import CivilTime
import Tracking

/// Whether reports stream in, or are asked for one by one while the vehicle stands.
///
/// To a watcher that wants no reports gpsd sends none, but goes on reading from the receiver for it, and answers `?POLL;`
/// with the receiver's last one, which is as fresh as in the stream. (To who does not watch it has nothing to answer, and
/// may close the receiver.) The first sign of movement brings the stream back: the begin of a trip is seen at full rate.
struct StationaryPolling {
    enum Request: Hashable {
        /// Reports are to be sent as they come.
        case startStream
        /// Reports are not to be sent any more.
        case stopStream
        /// The last report is asked for.
        case poll
    }

    /// From this speed on the receiver says that it moves, m/s: above the noise of a parked one's Doppler speed.
    static let movementThresholdMetersPerSecond = 1.0
    /// After a sign of movement the stream is listened to for so long, seconds: whoever decides needs less to be certain.
    static let streamAfterMovementSeconds = 30.0

    /// Seconds between two questions; 0 for a stream always.
    private let intervalSeconds: Double
    private(set) var isPolling = false
    private var isStationary = false
    /// The next question, and until when the stream is listened to in any case, on the monotonic clock.
    private var due: Int64 = 0
    private var streamUntil = Int64.min
    /// The newest report's time, by the receiver.
    private var newest: Timestamp?

    init(intervalSeconds: Double) {
        self.intervalSeconds = intervalSeconds
    }

    /// When there is something to ask, on the monotonic clock; nil while reports stream.
    var dueUptimeMilliseconds: Int64? { isPolling ? due : nil }

    /// How much longer than in a stream a report may take to come, milliseconds.
    var delayMilliseconds: Int64 { isPolling ? Int64(intervalSeconds * 1000) : 0 }

    /// A new connection streams.
    mutating func reset() {
        isPolling = false
        newest = nil
    }

    mutating func setRate(_ wish: RateRequest) {
        isStationary = wish == .reduced
    }

    /// What is to be asked now.
    /// - Parameter hasPositions: whether the receiver gives positions: whatever else it says is worth hearing at once.
    mutating func request(at uptimeMilliseconds: Int64, hasPositions: Bool) -> Request? {
        // Of a receiver without a clock nobody could tell whether an answer is new.
        let wantsPoll =
            intervalSeconds > 0 && isStationary && hasPositions && newest != nil && uptimeMilliseconds >= streamUntil
        guard wantsPoll == isPolling else {
            isPolling = wantsPoll
            due = uptimeMilliseconds + Int64(intervalSeconds * 1000)
            return wantsPoll ? .stopStream : .startStream
        }
        guard isPolling, uptimeMilliseconds >= due else { return nil }
        due = uptimeMilliseconds + Int64(intervalSeconds * 1000)
        return .poll
    }

    /// A report that was sent.
    mutating func recordStreamed(_ report: TPVReport) {
        newest = report.time ?? newest
    }

    /// A report that was asked for.
    /// - Returns: whether it is news: a receiver that is silent is polled the same again and again.
    mutating func acceptPolled(_ report: TPVReport, at uptimeMilliseconds: Int64) -> Bool {
        guard (report.mode ?? 0) >= 2 else { return true }
        guard let time = report.time, time != newest else { return false }
        newest = time
        if let speed = report.speedMetersPerSecond, speed >= Self.movementThresholdMetersPerSecond {
            streamUntil = uptimeMilliseconds + Int64(Self.streamAfterMovementSeconds * 1000)
        }
        return true
    }
}
