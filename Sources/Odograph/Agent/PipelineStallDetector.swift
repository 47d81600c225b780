/// Decides whether the way of a position moves, from its source over the recorder and the disk to the link: what feeds the
/// watchdog of the service manager.
///
/// A broker that is away, a gpsd that is away, or a disk that takes nothing does not stop the way: trying again is what
/// the agent is to do then, and a new start would only lose what waits in memory. What stops it is a loop that no longer
/// turns, or work that is due and that nobody has tried.
struct PipelineStallDetector {
    /// A part of the way.
    enum Stage: String, CaseIterable, Hashable, Sendable {
        /// The receiver's loop turns, or gives positions.
        case source
        /// What has come of it reaches the recorder.
        case recorder
        /// What is due to be committed has been tried.
        case commit
        /// The session with the broker, and whoever takes its events, answer.
        case link
    }

    /// What is seen of the parts at one time.
    struct Reading: Hashable, Sendable {
        /// The monotonic clock, milliseconds.
        var uptimeMilliseconds: Int64
        /// Turns of the receiver's loop; nil where it has none of its own (a capture, a simulator).
        var sourceTurns: Int?
        /// Whether a source that never ends has ended.
        var hasLiveSourceEnded = false
        /// When the recorder took an event of the source last, where the source says that it has positions; nil where it
        /// does not.
        var lastSourceEventMilliseconds: Int64?
        /// When the next commit is, or was, due; nil for none.
        var commitDueMilliseconds: Int64?
        /// How often the link has answered.
        var probeResponses: Int
    }

    /// After so long a receiver's silence is told by its source, milliseconds.
    let silenceMilliseconds: Int64
    /// Milliseconds between two readings.
    let intervalMilliseconds: Int64

    /// A look-up of names may hold a loop for so long: the resolver's 5 s, twice, for three servers, and as much again.
    private static let loopTimeoutMilliseconds: Int64 = 60_000
    /// A commit takes a second on the slowest card; more than this was not tried.
    private static let commitTimeoutMilliseconds: Int64 = 30_000

    private var lastTurn: (turns: Int, uptimeMilliseconds: Int64)?
    private var lastResponse: (answers: Int, uptimeMilliseconds: Int64)?

    /// - Parameters:
    ///   - silenceSeconds: after so long a receiver's silence is told by its source.
    ///   - beatSeconds: between two readings.
    init(silenceSeconds: Double, intervalSeconds: Double) {
        silenceMilliseconds = Int64(silenceSeconds * 1000)
        intervalMilliseconds = Int64(intervalSeconds * 1000)
    }

    /// - Returns: the parts that stand still; none where all is as it should be.
    mutating func detectStalls(in reading: Reading) -> [Stage] {
        let now = reading.uptimeMilliseconds
        // The source waits for its silence when connecting and once more when asking.
        let quiet = 2 * silenceMilliseconds + Self.loopTimeoutMilliseconds
        var stuck: [Stage] = []
        if let turns = reading.sourceTurns, turns != lastTurn?.turns { lastTurn = (turns, now) }
        let hasStopped = lastTurn.map { now - $0.uptimeMilliseconds > quiet } ?? false
        if reading.hasLiveSourceEnded || (reading.sourceTurns != nil && hasStopped) { stuck.append(.source) }
        if let since = reading.lastSourceEventMilliseconds, now - since > quiet { stuck.append(.recorder) }
        if let due = reading.commitDueMilliseconds, now - due > Self.commitTimeoutMilliseconds { stuck.append(.commit) }
        if reading.probeResponses != lastResponse?.answers { lastResponse = (reading.probeResponses, now) }
        let unanswered = Self.loopTimeoutMilliseconds + 2 * intervalMilliseconds
        if let lastResponse, now - lastResponse.uptimeMilliseconds > unanswered { stuck.append(.link) }
        return stuck
    }
}
