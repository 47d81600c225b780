import Wire

/// The commands that were answered lately, so that each is done and answered once, also when it comes again after a
/// restart.
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
    }

    /// What to do about a command that has come.
    enum Verdict: Hashable, Sendable {
        /// It is new.
        case begin
        /// It was answered there already, or will be.
        case ignore
        /// It was done; this requester has not had the answer.
        case repeatAnswer([UInt8])
    }

    /// So many are remembered; a requester that tries again does so within seconds.
    static let capacity = 64
    /// An answer longer than this is forgotten once it was delivered: what is long was asked for, not done.
    private static let longestKept = 2048
    private static let mostReplies = 4

    private(set) var entries: [Entry] = []

    /// A command has come.
    mutating func come(_ id: String, reply: Reply) -> Verdict {
        guard let index = entries.firstIndex(where: { $0.id == id }) else {
            entries.append(Entry(id: id, answer: nil, replies: [reply], isDelivered: false))
            if entries.count > Self.capacity { entries.removeFirst() }
            return .begin
        }
        guard !entries[index].replies.contains(reply), entries[index].replies.count < Self.mostReplies else {
            return .ignore
        }
        entries[index].replies.append(reply)
        guard let answer = entries[index].answer else {
            // Still being done: it will be answered everywhere. Long gone: it was a question, and may be asked again.
            return entries[index].isDelivered ? .begin : .ignore
        }
        entries[index].isDelivered = false
        return .repeatAnswer(answer)
    }

    /// A command was answered.
    /// - Returns: where the answer goes.
    mutating func answered(_ id: String, _ answer: [UInt8]) -> [Reply] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        entries[index].answer = answer
        entries[index].isDelivered = false
        return entries[index].replies
    }

    /// The broker has the answer.
    mutating func delivered(_ id: String) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].isDelivered = true
        if entries[index].answer?.count ?? 0 > Self.longestKept { entries[index].answer = nil }
    }

    /// The answers that the broker does not have yet.
    var undelivered: [Entry] { entries.filter { !$0.isDelivered && $0.answer != nil } }

    /// What the next run is to know: a command that was being done when the machine stopped may be done again.
    var lasting: AnsweredCommands {
        var copy = self
        copy.entries.removeAll { $0.answer == nil && !$0.isDelivered }
        return copy
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
