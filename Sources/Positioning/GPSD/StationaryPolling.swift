import OdographCivilTime
import OdographModel

/// Selects between a stream of reports and single reports by polling while the vehicle is stationary.
///
/// For a watcher without reports gpsd still reads from the receiver, and it answers `?POLL;` with the last report,
/// which is as recent as in the stream. (Without any watcher gpsd has no answer and may close the receiver.) The first
/// sign of movement starts the stream again, so that the beginning of a trip is recorded at the full rate.
struct StationaryPolling {
    enum Request: Hashable {
        /// Start the stream.
        case startStream
        /// Stop the stream.
        case stopStream
        /// Request the last report.
        case poll
    }

    /// The speed that counts as movement, m/s: above the noise of the Doppler speed of a parked vehicle.
    static let movementThresholdMetersPerSecond = 1.0
    /// The length of the stream after a sign of movement, seconds: more than the detection of a trip needs.
    static let streamAfterMovementSeconds = 30.0

    /// Seconds between two polls; 0 for a permanent stream.
    private let intervalSeconds: Double
    private(set) var isPolling = false
    private var isStationary = false
    /// The time of the next poll, on the monotonic clock.
    private var due: Int64 = 0
    /// The time until which the stream is used after movement, on the monotonic clock.
    private var streamUntil = Int64.min
    /// The receiver's time of the newest report.
    private var newest: Timestamp?

    init(intervalSeconds: Double) {
        self.intervalSeconds = intervalSeconds
    }

    /// The time of the next poll; nil while reports stream.
    var dueUptimeMilliseconds: Int64? { isPolling ? due : nil }

    /// The additional delay of reports compared with a stream, milliseconds.
    var delayMilliseconds: Int64 { isPolling ? Int64(intervalSeconds * 1000) : 0 }

    /// Resets the state for a new connection, which begins with a stream.
    mutating func reset() {
        isPolling = false
        newest = nil
    }

    mutating func setRate(_ rate: FixRate) {
        isStationary = rate == .reduced
    }

    /// Returns the request to send now; nil if there is none.
    ///
    /// gpsd answers with what it knows of the current cycle. So the polls begin after the end of one, and keep their
    /// distance to it.
    /// - Parameters:
    ///   - hasPositions: Whether the receiver gives positions. Without positions the stream is used.
    ///   - isCycleIncomplete: Whether further reports of the last position are expected.
    mutating func request(at uptimeMilliseconds: Int64, hasPositions: Bool, isCycleIncomplete: Bool) -> Request? {
        // Without the receiver's time, new answers cannot be distinguished from old ones.
        let wantsPoll =
            intervalSeconds > 0 && isStationary && hasPositions && newest != nil && uptimeMilliseconds >= streamUntil
        guard wantsPoll == isPolling else {
            if wantsPoll, isCycleIncomplete { return nil }
            isPolling = wantsPoll
            due = uptimeMilliseconds + Int64(intervalSeconds * 1000)
            return wantsPoll ? .stopStream : .startStream
        }
        guard isPolling, uptimeMilliseconds >= due else { return nil }
        due += Int64(intervalSeconds * 1000)
        if due <= uptimeMilliseconds { due = uptimeMilliseconds + Int64(intervalSeconds * 1000) }
        return .poll
    }

    /// Records a report of the stream.
    mutating func recordStreamed(_ report: TPVReport) {
        newest = report.time ?? newest
    }

    /// Records a polled report.
    /// - Returns: Whether the report is new. For a silent receiver gpsd repeats the last report.
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
