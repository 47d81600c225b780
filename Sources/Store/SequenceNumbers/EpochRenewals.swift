import OdographCivilTime

/// How often evidence of others begins a new epoch: many times at once, because a disk can come back again and again,
/// and rarely in the long run, so that a message that comes again and again does not use up the epochs.
struct EpochRenewals: Hashable, Sendable {
    /// The name of the document that contains them.
    static let documentName = "epoch_renewals"
    /// The number of epochs that can begin at once.
    static let capacity = 32
    /// The time after which one more can begin, seconds.
    static let refillSeconds = 600.0

    /// The number of epochs that can begin, at ``last``.
    private var left = Self.capacity
    private var last: Timestamp?

    init() {}

    /// Reads a document. What is not readable is unknown.
    init(document bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 2, let milliseconds = Int64(words[0]), let left = Int(words[1]),
            (0...Self.capacity).contains(left)
        else { return }
        last = Timestamp(millisecondsSinceEpoch: milliseconds)
        self.left = left
    }

    /// The document: an instant in milliseconds since 1970, and the number of epochs that could begin then.
    var document: [UInt8] { Array("\(last?.millisecondsSinceEpoch ?? 0) \(left)".utf8) }

    /// Notes that an epoch begins.
    /// - Returns: Whether it may; false if there were too many.
    mutating func begin(at now: Timestamp) -> Bool {
        // A clock that goes back refills nothing.
        let refills = last.map { max(0, now.seconds(since: $0)) / Self.refillSeconds } ?? 0
        let whole = min(refills, Double(Self.capacity)).rounded(.down)
        left = min(Self.capacity, left + Int(whole))
        last = left == Self.capacity || refills == 0 ? now : last?.advanced(bySeconds: whole * Self.refillSeconds)
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
