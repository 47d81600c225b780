import Positioning

/// One program's conversation with the agent: decides what is read, which command is next and what is sent. It makes no system call.
///
/// Commands are answered in their order, and one is begun only once the answer to the one before it has been sent. Until then the agent
/// reads nothing: what a program sends waits in the kernel, and neither commands nor answers pile up.
struct ControlSession {
    /// What is to be done next.
    enum Step: Hashable {
        /// A command is to be answered.
        case handle([UInt8])
        /// A line that is too long is to be refused; the conversation ends with that.
        case rejectLongLine
    }

    /// A program that takes nothing of an answer for this long is let go.
    static let sendTimeout = Duration.seconds(30)

    private var lines = LineBuffer()
    private var output: [UInt8] = []
    private var sentCount = 0
    private var isHandlingCommand = false
    private var hasInputEnded = false
    private var hasRejectedLine = false
    /// Whether nobody takes what is sent.
    private(set) var isOutputClosed = false
    /// The time of the last bytes in either direction.
    private(set) var lastActivity: ContinuousClock.Instant

    /// - Parameter now: the time.
    init(at now: ContinuousClock.Instant) {
        lastActivity = now
    }

    /// Whether something is to be sent.
    var hasOutput: Bool { sentCount < output.count }
    /// Whether the program owes the next word: nothing is being answered or sent.
    var isIdle: Bool { !isHandlingCommand && !hasOutput }
    /// Whether input is to be read.
    var wantsInput: Bool { isIdle && !hasInputEnded }
    /// Whether nothing more will happen. To be asked once ``next()`` has returned nil.
    var isFinished: Bool { isIdle && hasInputEnded }
    /// When the program is let go unless it has taken something by then; nil where nothing waits for it.
    var deadline: ContinuousClock.Instant? { hasOutput ? lastActivity + Self.sendTimeout : nil }

    // MARK: Input

    /// Lets `read` write what has come.
    /// - Returns: what `read` returned: the number of bytes, 0 at the end, −1 where there is nothing or an error.
    mutating func receive(
        at now: ContinuousClock.Instant, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Int {
        let count = lines.fill(read)
        if count > 0 { lastActivity = now }
        if count == 0 { hasInputEnded = true }
        return count
    }

    /// The connection is broken.
    mutating func disconnect() {
        hasInputEnded = true
        closeOutput()
    }

    /// The program takes no more answers. What it has asked for is still done.
    mutating func closeOutput() {
        isOutputClosed = true
        output = []
        sentCount = 0
    }

    // MARK: Commands

    /// What to do next; nil where the program has to say more, or something is still being answered or sent.
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

    /// The answer is there.
    mutating func enqueueResponse(_ bytes: [UInt8], at now: ContinuousClock.Instant) {
        isHandlingCommand = false
        guard !isOutputClosed else { return }
        output = bytes
        sentCount = 0
        lastActivity = now
    }

    // MARK: Output

    /// Hands over what is to be sent.
    func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        output[sentCount...].withUnsafeBytes(body)
    }

    /// So many bytes were sent.
    mutating func advanceOutput(by count: Int, at now: ContinuousClock.Instant) {
        lastActivity = now
        sentCount += count
        if !hasOutput {
            output = []
            sentCount = 0
        }
    }
}
