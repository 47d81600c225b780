import OdographPositioning

/// The state of one program's connection: what to read, which command is next, what to send. It makes no system call.
///
/// Commands are executed in order. A command starts after the response to the previous one has been sent. Until then
/// nothing is read: further input waits in the kernel, so that neither commands nor responses accumulate.
struct ControlSession {
    /// The next step of a session.
    enum Step: Hashable {
        /// Execute a command.
        case handle([UInt8])
        /// Reject a line that is too long; the session ends after that.
        case rejectLongLine
    }

    /// The time without progress in sending after which the connection is closed.
    static let sendTimeout = Duration.seconds(30)

    private var lines = LineBuffer()
    private var output: [UInt8] = []
    private var sentCount = 0
    private var isHandlingCommand = false
    private var hasInputEnded = false
    private var hasRejectedLine = false
    /// Whether the program no longer receives responses.
    private(set) var isOutputClosed = false
    /// The time of the last transfer in either direction.
    private(set) var lastActivity: ContinuousClock.Instant

    /// - Parameter now: the current time.
    init(at now: ContinuousClock.Instant) {
        lastActivity = now
    }

    /// Whether output waits to be sent.
    var hasOutput: Bool { sentCount < output.count }
    /// Whether nothing is being executed or sent, so that the next step is the program's.
    var isIdle: Bool { !isHandlingCommand && !hasOutput }
    /// Whether to read input.
    var wantsInput: Bool { isIdle && !hasInputEnded }
    /// Whether the session has ended. Valid after ``nextStep()`` has returned nil.
    var isFinished: Bool { isIdle && hasInputEnded }
    /// The time at which the connection is closed unless output is sent before; nil if no output waits.
    var deadline: ContinuousClock.Instant? { hasOutput ? lastActivity + Self.sendTimeout : nil }

    // MARK: Input

    /// Reads input.
    /// - Returns: the result of `read`: the number of bytes, 0 at the end, −1 if there is no input or on an error.
    mutating func receive(
        at now: ContinuousClock.Instant, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Int {
        let count = lines.fill(read)
        if count > 0 { lastActivity = now }
        if count == 0 { hasInputEnded = true }
        return count
    }

    /// Marks the connection as broken.
    mutating func disconnect() {
        hasInputEnded = true
        closeOutput()
    }

    /// Discards all output. A command that was already read is still executed.
    mutating func closeOutput() {
        isOutputClosed = true
        output = []
        sentCount = 0
    }

    // MARK: Commands

    /// Returns the next step; nil if more input is needed, or a command is being executed or its response sent.
    mutating func nextStep() -> Step? {
        guard isIdle, !hasRejectedLine else { return nil }
        guard lines.overlongLines == 0 else { return rejectLongLine() }
        while let line = lines.withNextLine({ Array($0) }) {
            guard lines.overlongLines == 0 else { return rejectLongLine() }
            guard !line.isEmpty else { continue }
            isHandlingCommand = true
            return .handle(line)
        }
        return lines.overlongLines == 0 ? nil : rejectLongLine()
    }

    private mutating func rejectLongLine() -> Step {
        hasRejectedLine = true
        hasInputEnded = true
        isHandlingCommand = true
        return .rejectLongLine
    }

    /// Queues the response to the current command.
    mutating func enqueueResponse(_ bytes: [UInt8], at now: ContinuousClock.Instant) {
        isHandlingCommand = false
        guard !isOutputClosed else { return }
        output = bytes
        sentCount = 0
        lastActivity = now
    }

    // MARK: Output

    /// Calls a closure with the bytes to send.
    func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        output[sentCount...].withUnsafeBytes(body)
    }

    /// Removes bytes that were sent.
    mutating func advanceOutput(by count: Int, at now: ContinuousClock.Instant) {
        lastActivity = now
        sentCount += count
        if !hasOutput {
            output = []
            sentCount = 0
        }
    }
}
