import OdographJSON
import Wire

/// The commands that were answered lately, so that each is done and answered once, also when it comes again after a
/// restart.
///
/// A command is remembered until ``capacity`` others have come and ``retentionMilliseconds`` have passed while the agent ran. The
/// newest are remembered with their answers, those before them by a mark only. Where there is no room for a further mark, a new
/// command is refused, and none is forgotten early.
struct AnsweredCommands: Hashable, Sendable, Codable {
    /// Where an answer goes.
    struct Reply: Hashable, Sendable, Codable {
        /// The topic.
        var topic: String
        /// What the requester knows the answer by (MQTT 5).
        var correlation: [UInt8]?
    }

    /// A command, by its id.
    struct Entry: Hashable, Sendable, Codable {
        var id: String
        /// The answer; nil while the command is being done, and where it was too long to be kept after its delivery.
        var answer: [UInt8]?
        /// Where the answer went or is going.
        var replies: [Reply]
        /// Whether the broker has it at all of these.
        var isDelivered: Bool
        /// When it came, on the monotonic clock; of a former run: when this run began. Not saved.
        var uptimeMilliseconds: Int64 = 0

        private enum CodingKeys: String, CodingKey {
            case id, answer, replies, isDelivered
        }
    }

    /// A command of before the newest ones.
    private struct OlderCommand: Hashable, Sendable {
        var idHash: UInt64
        var uptimeMilliseconds: Int64
    }

    /// What to do about a command that has come.
    enum Verdict: Hashable, Sendable {
        /// It is new.
        case execute
        /// It was answered there already, or will be.
        case ignore
        /// It was done; this requester has not had the answer.
        case resendAnswer([UInt8])
        /// It is new, and there is no room to remember it: it must not be done.
        case full
    }

    /// How many are remembered with their answers, however long ago they came.
    static let capacity = 64
    /// How long a command is remembered at least, however many come after it, milliseconds.
    static let retentionMilliseconds: Int64 = 3_600_000
    /// How many are remembered beside the newest. ``CommandRateLimiter`` lets fewer be done within ``retentionMilliseconds``; only
    /// after several restarts within that time there may be no room.
    static let earlierCapacity = 2048
    /// An answer longer than this is forgotten once it was delivered: what is long was asked for, not done.
    private static let maximumKeptAnswerBytes = 2048
    private static let maximumReplies = 4

    private(set) var entries: [Entry] = []

    private var earlier: [OlderCommand] = []

    init() {}

    /// A command has come.
    /// - Parameters:
    ///   - id: the command's.
    ///   - reply: where its answer is wanted.
    ///   - isQuestion: whether it may be done again where its answer is no longer known.
    ///   - now: the time on the monotonic clock.
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
        // Still being done: it will be answered everywhere. Done, and its long answer no longer known: only a question is asked again.
        return entries[index].isDelivered && isQuestion ? .execute : .ignore
    }

    /// The oldest entry whose answer the broker has; an answer that is being made or sent needs its entry.
    private var evictionIndex: Int {
        entries.firstIndex { $0.isDelivered } ?? entries.firstIndex { $0.answer != nil } ?? 0
    }

    /// Whether a command was done, or is being done.
    func isKnown(_ id: String) -> Bool {
        if entries.contains(where: { $0.id == id }) { return true }
        let mark = Self.idHash(of: id)
        return earlier.contains { $0.idHash == mark }
    }

    /// What an id is known by once it is not one of the newest.
    private static func idHash(of id: String) -> UInt64 {
        UInt64(SHA256.hexDigest(of: Array(id.utf8)).prefix(16), radix: 16) ?? 0
    }

    /// What was remembered by a former run counts from now on: how long ago that was is not known.
    mutating func resetTimes(atUptimeMilliseconds now: Int64) {
        for index in entries.indices { entries[index].uptimeMilliseconds = now }
        for index in earlier.indices { earlier[index].uptimeMilliseconds = now }
    }

    /// Takes over the commands that earlier runs answered, of which the database could not tell at the start.
    mutating func merge(_ earlierRuns: AnsweredCommands) {
        let known = Set(entries.map(\.id))
        let old = earlierRuns.entries.filter { !known.contains($0.id) }
        let room = max(Self.capacity - entries.count, 0)
        let marks = old.dropLast(room).map {
            OlderCommand(idHash: Self.idHash(of: $0.id), uptimeMilliseconds: $0.uptimeMilliseconds)
        }
        earlier = (earlierRuns.earlier + marks + earlier).suffix(Self.earlierCapacity)
        entries = old.suffix(room) + entries
    }

    /// A command was answered.
    /// - Returns: where the answer goes.
    mutating func recordAnswer(_ id: String, _ answer: [UInt8]) -> [Reply] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        entries[index].answer = answer
        entries[index].isDelivered = false
        return entries[index].replies
    }

    /// The broker has the answer.
    mutating func markDelivered(_ id: String) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].isDelivered = true
        if entries[index].answer?.count ?? 0 > Self.maximumKeptAnswerBytes { entries[index].answer = nil }
    }

    /// The answers that the broker does not have yet.
    var undelivered: [Entry] { entries.filter { !$0.isDelivered && $0.answer != nil } }

    /// What the next run is to know: a command that was being done when the machine stopped may be done again.
    var persistentCopy: AnsweredCommands {
        var copy = self
        copy.entries.removeAll { $0.answer == nil && !$0.isDelivered }
        return copy
    }

    // MARK: Saved form

    private enum CodingKeys: String, CodingKey {
        case entries, earlier
    }

    /// - Throws: `DecodingError` where it is no such document.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entries = try container.decode([Entry].self, forKey: .entries)
        // Absent in what earlier versions have saved.
        var digits = Array(try container.decodeIfPresent(String.self, forKey: .earlier) ?? "")[...]
        while let mark = UInt64(String(digits.prefix(16)), radix: 16) {
            earlier.append(OlderCommand(idHash: mark, uptimeMilliseconds: 0))
            digits = digits.dropFirst(16)
        }
    }

    /// Writes the marks as one string of 16 hexadecimal digits each.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entries, forKey: .entries)
        if !earlier.isEmpty { try container.encode(earlier.map(\.idHash.hexadecimal).joined(), forKey: .earlier) }
    }
}

extension DeviceAddress {
    /// Where an answer goes: where its request wishes, if that can be, else to the channel of answers.
    ///
    /// No answer goes to another channel of the device's own, where it would be taken for what the vehicle says. Topics
    /// with a dollar sign are the broker's own: some break the connection of whoever writes there.
    func replyTopic(_ wish: String?) -> String {
        let response = topic(.response)
        guard let wish, !wish.isEmpty, !wish.hasPrefix("$"), !wish.utf8.contains(where: { "+#\0".utf8.contains($0) }),
            !wish.hasPrefix("\(root)/\(fleet)/\(device)/") || wish.hasPrefix(response + "/")
        else { return response }
        return wish
    }
}
