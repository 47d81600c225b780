import OdographJSON
import OdographSettings
import OdographWire

/// The recently answered commands, so that each is executed and answered once, even if it arrives again after a
/// restart.
///
/// A command is remembered until ``capacity`` others have arrived and ``retentionMilliseconds`` have passed while the
/// agent ran. The newest are remembered with their answers, the earlier ones only as hashes. If there is no room for a
/// further hash, a new command is refused, and none is forgotten early.
struct AnsweredCommands: Hashable, Sendable, Codable {
    /// The destination of an answer.
    struct Reply: Hashable, Sendable, Codable {
        var topic: String
        /// The correlation data of the request (MQTT 5).
        var correlation: [UInt8]?
    }

    /// A command, by its ID.
    struct Entry: Hashable, Sendable, Codable {
        var id: String
        /// The answer. nil while the command is executed, and after delivery if the answer was too long to keep.
        var answer: [UInt8]?
        /// The destinations of the answer.
        var replies: [Reply]
        /// Whether the broker has accepted the answer for all destinations.
        var isDelivered: Bool
        /// The arrival time, on the monotonic clock. For a command of an earlier run: the start of this run. Not saved.
        var uptimeMilliseconds: Int64 = 0

        private enum CodingKeys: String, CodingKey {
            case id, answer, replies, isDelivered
        }
    }

    /// A command that is no longer among the newest ones.
    private struct OlderCommand: Hashable, Sendable {
        var idHash: UInt64
        var uptimeMilliseconds: Int64
    }

    /// The decision about a command that has arrived.
    enum Verdict: Hashable, Sendable {
        /// The command is new.
        case execute
        /// The command was answered at this destination, or will be.
        case ignore
        /// The command was executed, but this requester has no answer yet.
        case resendAnswer([UInt8])
        /// The command is new and cannot be remembered, so it must not be executed.
        case full
    }

    /// The number of commands that are remembered with their answers, however old.
    static let capacity = 64
    /// The minimum time for which a command is remembered, however many follow it, milliseconds.
    static let retentionMilliseconds: Int64 = 3_600_000
    /// The number of commands that are remembered as hashes. ``CommandRateLimiter`` admits fewer within
    /// ``retentionMilliseconds``; the room can only be used up by several restarts within that time.
    static let earlierCapacity = 2048
    /// The size above which an answer is forgotten after delivery. Only queries have long answers, and they can be
    /// repeated.
    private static let maximumKeptAnswerBytes = 2048
    private static let maximumReplies = 4

    private(set) var entries: [Entry] = []

    private var earlier: [OlderCommand] = []

    init() {}

    /// Registers a command that has arrived.
    /// - Parameters:
    ///   - id: The ID of the command.
    ///   - reply: The destination of its answer.
    ///   - isQuery: Whether it may be executed again if its answer is no longer known.
    ///   - now: The time on the monotonic clock.
    mutating func register(
        _ id: String, reply: Reply, isQuery: Bool, atUptimeMilliseconds now: Int64
    ) -> Verdict {
        if let index = entries.firstIndex(where: { $0.id == id }) { return registerRepeat(index, reply, isQuery) }
        earlier.removeAll { now - $0.uptimeMilliseconds >= Self.retentionMilliseconds }
        let mark = Self.idHash(of: id)
        guard !earlier.contains(where: { $0.idHash == mark }) else { return .ignore }
        if entries.count >= Self.capacity {
            guard earlier.count < Self.earlierCapacity else { return .full }
            let leaving = entries.remove(at: evictionIndex)
            if now - leaving.uptimeMilliseconds < Self.retentionMilliseconds {
                earlier.append(
                    OlderCommand(idHash: Self.idHash(of: leaving.id), uptimeMilliseconds: leaving.uptimeMilliseconds))
            }
        }
        entries.append(Entry(id: id, answer: nil, replies: [reply], isDelivered: false, uptimeMilliseconds: now))
        return .execute
    }

    private mutating func registerRepeat(_ index: Int, _ reply: Reply, _ isQuestion: Bool) -> Verdict {
        guard !entries[index].replies.contains(reply), entries[index].replies.count < Self.maximumReplies else {
            return .ignore
        }
        entries[index].replies.append(reply)
        if let answer = entries[index].answer {
            entries[index].isDelivered = false
            return .resendAnswer(answer)
        }
        // A command in execution is answered at all its destinations. Of those whose long answer was forgotten, only
        // queries are repeated.
        return entries[index].isDelivered && isQuestion ? .execute : .ignore
    }

    /// The index of the oldest delivered entry. If there is none: the oldest answered one, or the oldest one.
    private var evictionIndex: Int {
        entries.firstIndex { $0.isDelivered } ?? entries.firstIndex { $0.answer != nil } ?? 0
    }

    /// Returns whether a command was executed or is in execution.
    func isKnown(_ id: String) -> Bool {
        if entries.contains(where: { $0.id == id }) { return true }
        let mark = Self.idHash(of: id)
        return earlier.contains { $0.idHash == mark }
    }

    /// Returns the hash of an ID, by which an older command is remembered.
    private static func idHash(of id: String) -> UInt64 {
        UInt64(SHA256.hexDigest(of: Array(id.utf8)).prefix(16), radix: 16) ?? 0
    }

    /// Restarts the retention of commands from an earlier run: the time since then is unknown.
    mutating func resetTimes(atUptimeMilliseconds now: Int64) {
        for index in entries.indices { entries[index].uptimeMilliseconds = now }
        for index in earlier.indices { earlier[index].uptimeMilliseconds = now }
    }

    /// Merges the commands of earlier runs, when their database becomes readable after the start.
    mutating func merge(_ earlierRuns: AnsweredCommands) {
        let known = Set(entries.map(\.id))
        let old = earlierRuns.entries.filter { !known.contains($0.id) }
        let room = max(Self.capacity - entries.count, 0)
        let marks = old.dropLast(room).map {
            OlderCommand(idHash: Self.idHash(of: $0.id), uptimeMilliseconds: $0.uptimeMilliseconds)
        }
        // These may be more than the capacity. Then new commands are refused until the retention of some has passed.
        earlier = earlierRuns.earlier + marks + earlier
        entries = old.suffix(room) + entries
    }

    /// Records the answer of a command.
    /// - Returns: The destinations of the answer.
    mutating func recordAnswer(_ id: String, _ answer: [UInt8]) -> [Reply] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        entries[index].answer = answer
        entries[index].isDelivered = false
        return entries[index].replies
    }

    /// Notes that the broker has accepted the answer.
    mutating func markDelivered(_ id: String) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].isDelivered = true
        if entries[index].answer?.count ?? 0 > Self.maximumKeptAnswerBytes { entries[index].answer = nil }
    }

    var undelivered: [Entry] { entries.filter { !$0.isDelivered && $0.answer != nil } }

    /// The copy to save. It omits commands in execution, so that they may be executed again after a crash.
    var persistentCopy: AnsweredCommands {
        var copy = self
        copy.entries.removeAll { $0.answer == nil && !$0.isDelivered }
        return copy
    }

    // MARK: Saved form

    private enum CodingKeys: String, CodingKey {
        case entries, earlier
    }

    /// - Throws: `DecodingError` if the document is invalid.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entries = try container.decode([Entry].self, forKey: .entries)
        var digits = Array(try container.decode(String.self, forKey: .earlier))[...]
        while let mark = UInt64(String(digits.prefix(16)), radix: 16) {
            earlier.append(OlderCommand(idHash: mark, uptimeMilliseconds: 0))
            digits = digits.dropFirst(16)
        }
    }

    /// Encodes the hashes as one string with 16 hexadecimal digits each.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entries, forKey: .entries)
        try container.encode(earlier.map(\.idHash.hexadecimal).joined(), forKey: .earlier)
    }
}

extension DeviceAddress {
    /// Returns the requested topic of an answer, if it is allowed, otherwise the response channel.
    ///
    /// An answer on another channel of the device would be mistaken for the vehicle's data. Topics that begin with `$`
    /// belong to the broker, and some brokers end the connection of a client that publishes there.
    func replyTopic(_ wish: String?) -> String {
        let response = topic(.response)
        guard let wish, !wish.isEmpty, !wish.hasPrefix("$"), !wish.utf8.contains(where: { "+#\0".utf8.contains($0) }),
            !wish.hasPrefix("\(root)/\(fleet)/\(device)/") || wish.hasPrefix(response + "/")
        else { return response }
        return wish
    }
}
