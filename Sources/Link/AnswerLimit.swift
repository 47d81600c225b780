/// The limit of the wait for the broker's answer to the oldest message or subscription.
///
/// The answer comes behind what the broker has sent before it, and what the client sends comes behind what still waits
/// in its socket. On a slow network each of them can take longer than the limit. So the wait ends at the limit only if
/// the network has moved hardly any data in the last third of it, and later if it does so in another third.
struct AnswerLimit {
    /// The parts of the limit, and the number of limits after which the wait ends in any case.
    private static let (parts, mostLimits): (Int64, Int64) = (3, 20)
    /// The least bytes in a part. Pings and acknowledgements of a broker that answers nothing else are fewer.
    private static let leastBytes: Int64 = 512

    /// The limit, milliseconds.
    let milliseconds: Int64
    /// The newest look at the bytes.
    private var look: Look?

    private struct Look {
        /// The wait to which it belongs.
        let awaitedSince: Int64
        let atMilliseconds: Int64
        let movedBytes: Int64
    }

    init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Returns the monotonic time, in milliseconds, of the next ``isOver(awaitedSince:at:movedBytes:)``.
    /// - Parameter awaitedSince: When the wait began, monotonic, milliseconds.
    func dueMilliseconds(awaitedSince: Int64) -> Int64 {
        let part = milliseconds / Self.parts
        guard let look, look.awaitedSince == awaitedSince else { return awaitedSince + milliseconds - part }
        return min(look.atMilliseconds + part, end(of: awaitedSince))
    }

    private func end(of awaitedSince: Int64) -> Int64 { awaitedSince + milliseconds * Self.mostLimits }

    /// Returns whether the wait is over. If not, the next look is due later.
    /// - Parameters:
    ///   - awaitedSince: When the wait began, monotonic, milliseconds.
    ///   - now: The monotonic time, milliseconds; not before ``dueMilliseconds(awaitedSince:)``.
    ///   - movedBytes: The bytes that the connection has received, and those that the other side has acknowledged; 0 if
    ///     the answer does not wait for other data.
    mutating func isOver(awaitedSince: Int64, at now: Int64, movedBytes: Int64) -> Bool {
        guard now < end(of: awaitedSince) else { return true }
        if let look, look.awaitedSince == awaitedSince, movedBytes - look.movedBytes < Self.leastBytes { return true }
        look = Look(awaitedSince: awaitedSince, atMilliseconds: now, movedBytes: movedBytes)
        return false
    }
}
