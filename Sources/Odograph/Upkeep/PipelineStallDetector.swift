/// Decides whether positions still pass from the source through the pipeline and the disk to the link. Feeds the
/// watchdog of the service manager.
///
/// An unreachable broker or gpsd, or a failing disk, is no stall: the agent retries, and a restart would only lose the
/// records in memory. A stall is a loop that no longer runs, or due work that was not attempted.
struct PipelineStallDetector {
    /// A stage that a position passes.
    enum Stage: String, CaseIterable, Hashable, Sendable {
        /// The receiver's loop runs.
        case source
        /// The events of the source reach the pipeline.
        case pipeline
        /// Commits that are due are attempted.
        case commit
        /// The MQTT client and the reader of its events answer.
        case link
    }

    /// The state of the stages at one time.
    struct Reading: Hashable, Sendable {
        /// The monotonic clock, milliseconds.
        var uptimeMilliseconds: Int64
        /// The iterations of the receiver's loop. nil if the source has no loop (a capture, a simulator).
        var sourceTurns: Int?
        /// Whether a live source has ended.
        var hasLiveSourceEnded = false
        /// The time of the pipeline's last event from the source. nil unless the source has positions.
        var lastSourceEventMilliseconds: Int64?
        /// The time at which the next commit is or was due. nil if there is none.
        var commitDueMilliseconds: Int64?
        /// The number of answered probes.
        var probeResponses: Int
    }

    /// The silence of a receiver after which its source reports it, milliseconds.
    let silenceMilliseconds: Int64
    /// The time between two readings, milliseconds.
    let intervalMilliseconds: Int64

    /// The time for which a name lookup may block a loop: twice the resolver's 5 s × 2 attempts × 3 servers.
    private static let loopTimeoutMilliseconds: Int64 = 60_000
    /// The time after which a due commit counts as not attempted. A commit takes a second on the slowest card.
    private static let commitTimeoutMilliseconds: Int64 = 30_000

    private var lastTurn: (turns: Int, uptimeMilliseconds: Int64)?
    private var lastResponse: (answers: Int, uptimeMilliseconds: Int64)?

    /// - Parameters:
    ///   - silenceSeconds: The silence of a receiver after which its source reports it.
    ///   - intervalSeconds: The time between two readings.
    init(silenceSeconds: Double, intervalSeconds: Double) {
        silenceMilliseconds = Int64(silenceSeconds * 1000)
        intervalMilliseconds = Int64(intervalSeconds * 1000)
    }

    /// - Returns: The stalled stages.
    mutating func detectStalls(in reading: Reading) -> [Stage] {
        let now = reading.uptimeMilliseconds
        // The source waits for this silence once when it connects and once more when it polls.
        let quiet = 2 * silenceMilliseconds + Self.loopTimeoutMilliseconds
        var stuck: [Stage] = []
        if let turns = reading.sourceTurns, turns != lastTurn?.turns { lastTurn = (turns, now) }
        let hasStopped = lastTurn.map { now - $0.uptimeMilliseconds > quiet } ?? false
        if reading.hasLiveSourceEnded || (reading.sourceTurns != nil && hasStopped) { stuck.append(.source) }
        if let since = reading.lastSourceEventMilliseconds, now - since > quiet { stuck.append(.pipeline) }
        if let due = reading.commitDueMilliseconds, now - due > Self.commitTimeoutMilliseconds { stuck.append(.commit) }
        if reading.probeResponses != lastResponse?.answers { lastResponse = (reading.probeResponses, now) }
        let unanswered = Self.loopTimeoutMilliseconds + 2 * intervalMilliseconds
        if let lastResponse, now - lastResponse.uptimeMilliseconds > unanswered { stuck.append(.link) }
        return stuck
    }
}
