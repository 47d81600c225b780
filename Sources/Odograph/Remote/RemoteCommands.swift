import CivilTime
import Link
import Logging
import Positioning
import Store
import Threads
import Wire

/// Does the commands that come over MQTT, and answers each of them once.
actor RemoteCommands {
    /// Tokens of answers; those of records count up from 1.
    static let firstToken: UInt64 = 1 << 62
    /// More commands than this do not wait: they are dropped unread.
    private static let mostWaiting = 256
    /// Positions are waited for, and others need not wait behind.
    private static let mostPositions = 8

    private struct Incoming: Sendable {
        var payload: [UInt8]
        var reply: AnsweredCommands.Reply
        var isRetained: Bool
        var oversized: Int?
    }

    private let parts: AgentParts
    private let desk: CommandDesk
    private let address: DeviceAddress
    private let clock: any AgentClock
    private let logger: Logger
    private var memory: AnsweredCommands
    private var rate = CommandRate()
    private var nextToken = firstToken
    private var onTheWay: [UInt64: String] = [:]
    private var positions = 0

    private struct Inbox {
        var waiting: [Incoming] = []
        /// How many found no room.
        var dropped = 0
    }

    private let inbox = Lock(Inbox())
    private let doorbell = Doorbell()

    private init(
        memory: AnsweredCommands, parts: AgentParts, desk: CommandDesk, address: DeviceAddress,
        clock: any AgentClock, logger: Logger
    ) {
        self.memory = memory
        self.parts = parts
        self.desk = desk
        self.address = address
        self.clock = clock
        self.logger = logger
    }

    /// Goes on with the commands that the last run answered.
    static func load(
        parts: AgentParts, desk: CommandDesk, address: DeviceAddress, clock: any AgentClock, logger: Logger
    ) async -> RemoteCommands {
        let saved = await SavedDocument.read(DocumentName.answeredCommands, from: parts.store)
        let memory = saved.value {
            try? JSONText.decode(AnsweredCommands.self, from: $0)
        } isUnreadable: { reason in
            desk.problems.raiseUnreadable(
                "the memory of answered commands", reason,
                effect: "one that the broker sends again is done again", in: logger)
        }
        var resumed = memory ?? AnsweredCommands()
        resumed.resume(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        return RemoteCommands(
            memory: resumed, parts: parts, desk: desk, address: address, clock: clock,
            logger: logger)
    }

    /// The database of earlier runs can be used now: what they answered is answered.
    func adopt(_ documents: [String: [UInt8]]) async {
        let saved = documents[DocumentName.answeredCommands]
        guard let earlier = saved.flatMap({ try? JSONText.decode(AnsweredCommands.self, from: $0) }) else { return }
        memory.adopt(earlier)
        await save()
    }

    // MARK: In

    /// A command has come.
    nonisolated func offer(_ message: IncomingMessage) {
        let isTooLarge = message.payload.count > CommandText.maximumBytes
        offer(
            Incoming(
                payload: isTooLarge ? [] : message.payload,
                reply: AnsweredCommands.Reply(
                    topic: address.replyTopic(message.responseTopic),
                    correlation: message.correlationData),
                isRetained: message.isRetained, oversized: isTooLarge ? message.payload.count : nil))
    }

    /// A command has come that was too large for the link.
    nonisolated func offerOversized(_ count: Int) {
        let reply = AnsweredCommands.Reply(topic: address.topic(.response), correlation: nil)
        offer(Incoming(payload: [], reply: reply, isRetained: false, oversized: count))
    }

    private nonisolated func offer(_ incoming: Incoming) {
        inbox.withLock { inbox in
            if inbox.waiting.count < Self.mostWaiting { inbox.waiting.append(incoming) } else { inbox.dropped += 1 }
        }
        doorbell.ring()
    }

    /// Until the task is cancelled.
    func run() async {
        for await _ in doorbell.rings {
            let taken = inbox.withLock { inbox in
                defer { inbox = Inbox() }
                return inbox
            }
            rate.refuse(taken.dropped)
            for incoming in taken.waiting { await take(incoming) }
        }
    }

    private func take(_ incoming: Incoming) async {
        let now = clock.now().uptimeMilliseconds
        guard rate.take(atUptimeMilliseconds: now) else { return refuse(incoming, at: now) }
        let request: CommandRequest
        do throws(CommandText.Refusal) {
            if let count = incoming.oversized { throw CommandText.tooLarge(count) }
            request = try CommandText.request(incoming.payload)
        } catch {
            return publish(error.response, to: incoming.reply)
        }
        let isQuestion = CommandAction(rawValue: request.action)?.isQuestion ?? true
        let verdict = memory.come(
            request.id, reply: incoming.reply, isQuestion: isQuestion, atUptimeMilliseconds: now)
        switch verdict {
        case .ignore: return
        case .full: refuse(incoming, at: now)
        case .repeatAnswer(let answer): publish(answer, to: incoming.reply, id: request.id)
        case .begin where incoming.isRetained:
            let problem = "a command is not retained, or it would be done again on each connection; publish it without"
            await finish(request.failure(problem))
        case .begin: await begin(request)
        }
    }

    /// Does nothing, and says so once for all the commands that are too many within a minute.
    private func refuse(_ incoming: Incoming, at now: Int64) {
        rate.refuse(1)
        guard rate.isNoticeDue(atUptimeMilliseconds: now) else { return }
        let id = (try? CommandText.request(incoming.payload))?.id ?? ""
        // One that was done before, and comes again, has its answer.
        guard !memory.isKnown(id) else { return }
        let count = rate.notice(atUptimeMilliseconds: now)
        let others = count > 1 ? ", nor were \(count - 1) before it" : ""
        let problem =
            "too many commands: this one was not done\(others). A device does \(CommandRate.burst) at once, "
            + "\(CommandRate.perSecond) a second for a while and \(CommandRate.perHour) an hour; of those beyond it answers "
            + "one a minute"
        logger.warning("\(count) commands were not done: there are too many")
        publish(CommandText.Refusal(id: id, problem: problem).response, to: incoming.reply)
    }

    private func begin(_ request: CommandRequest) async {
        logger.info("command \(request.action)", metadata: ["id": "\(request.id)"])
        guard request.action == CommandAction.getCurrentPosition.rawValue else {
            return await finish(await desk.answer(request))
        }
        guard positions < Self.mostPositions else {
            return await finish(request.failure("\(positions) requests for the position wait already; ask again later"))
        }
        positions += 1
        Task {
            await finish(await desk.answer(request))
            positions -= 1
        }
    }

    // MARK: Out

    /// Remembers an answer, and only then gives it.
    private func finish(_ response: CommandResponse) async {
        let answer = JSONText.payload(of: response.from(address.path)).bytes
        let replies = memory.answered(response.id, answer)
        await save()
        for reply in replies { publish(answer, to: reply, id: response.id) }
    }

    private func save() async {
        do {
            try await parts.store.saveDocument(
                DocumentName.answeredCommands, JSONText.payload(of: memory.lasting).bytes)
        } catch {
            logger.warning("answered commands cannot be remembered: \(error)")
        }
    }

    /// An answer that nobody will ask for again.
    private func publish(_ response: CommandResponse, to reply: AnsweredCommands.Reply) {
        let answer = JSONText.payload(of: response.from(address.path)).bytes
        parts.session.publish([Self.message(answer, reply, token: nil)])
    }

    private func publish(_ answer: [UInt8], to reply: AnsweredCommands.Reply, id: String) {
        onTheWay[nextToken] = id
        parts.session.publish([Self.message(answer, reply, token: nextToken)])
        nextToken += 1
    }

    private static func message(
        _ answer: [UInt8], _ reply: AnsweredCommands.Reply, token: UInt64?
    ) -> OutgoingMessage {
        OutgoingMessage(
            token: token, topic: reply.topic, payload: answer,
            properties: OutgoingMessage.Properties(
                correlationData: reply.correlation, contentType: "application/json"))
    }

    // MARK: What the session says

    /// A connection stands: the answers that the last one could not take go first.
    func connected() {
        onTheWay.removeAll()
        for entry in memory.undelivered {
            for reply in entry.replies { publish(entry.answer ?? [], to: reply, id: entry.id) }
        }
    }

    /// The broker has answers, or will never take them.
    func settled(_ tokens: [UInt64]) async {
        var isNew = false
        for token in tokens where token >= Self.firstToken {
            guard let id = onTheWay.removeValue(forKey: token) else { continue }
            guard !onTheWay.values.contains(id) else { continue }
            memory.delivered(id)
            isNew = true
        }
        if isNew { await save() }
    }
}
