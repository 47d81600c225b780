import CivilTime
import Link
import Logging
import OdographJSON
import Positioning
import Store
import Threads
import Wire

/// Does the commands that come over MQTT, and answers each of them once.
actor RemoteCommands {
    /// Tokens of answers; those of records count up from 1.
    static let firstAnswerToken: UInt64 = 1 << 62
    /// More commands than this do not wait: they are dropped unread.
    private static let maximumWaiting = 256
    /// Positions are waited for, and others need not wait behind.
    private static let maximumPositionRequests = 8

    private struct Incoming: Sendable {
        var payload: [UInt8]
        var reply: AnsweredCommands.Reply
        var isRetained: Bool
        var oversized: Int?
    }

    private let parts: AgentParts
    private let commandHandler: CommandHandler
    private let address: DeviceAddress
    private let clock: any AgentClock
    private let logger: Logger
    private var answeredCommands: AnsweredCommands
    private var rateLimiter = CommandRateLimiter()
    private var nextToken = firstAnswerToken
    private var inFlight: [UInt64: String] = [:]
    private var positionRequestCount = 0

    private struct Inbox {
        var waiting: [Incoming] = []
        /// How many found no room.
        var dropped = 0
    }

    private let inbox = Lock(Inbox())
    private let arrivalSignal = CoalescingSignal()

    private init(
        answeredCommands: AnsweredCommands, parts: AgentParts, commandHandler: CommandHandler, address: DeviceAddress,
        clock: any AgentClock, logger: Logger
    ) {
        self.answeredCommands = answeredCommands
        self.parts = parts
        self.commandHandler = commandHandler
        self.address = address
        self.clock = clock
        self.logger = logger
    }

    /// Goes on with the commands that the last run answered.
    static func load(
        parts: AgentParts, commandHandler: CommandHandler, address: DeviceAddress, clock: any AgentClock, logger: Logger
    ) async -> RemoteCommands {
        let saved = await SavedDocument.read(DocumentName.answeredCommands, from: parts.store)
        let memory = saved.parsed {
            try? JSONCoder.decode(AnsweredCommands.self, from: $0)
        } onUnreadable: { reason in
            commandHandler.problems.raiseUnreadable(
                "the memory of answered commands", reason,
                effect: "one that the broker sends again is done again", in: logger)
        }
        var resumed = memory ?? AnsweredCommands()
        resumed.resetTimes(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        return RemoteCommands(
            answeredCommands: resumed, parts: parts, commandHandler: commandHandler, address: address, clock: clock,
            logger: logger)
    }

    /// The database of earlier runs can be used now: what they answered is answered.
    func mergeRecoveredDocuments(_ documents: [String: [UInt8]]) async {
        let saved = documents[DocumentName.answeredCommands]
        guard let earlier = saved.flatMap({ try? JSONCoder.decode(AnsweredCommands.self, from: $0) }) else { return }
        answeredCommands.merge(earlier)
        await save()
    }

    // MARK: In

    /// A command has come.
    nonisolated func offer(_ message: IncomingMessage) {
        let isTooLarge = message.payload.count > CommandRequestParser.maximumBytes
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
            if inbox.waiting.count < Self.maximumWaiting { inbox.waiting.append(incoming) } else { inbox.dropped += 1 }
        }
        arrivalSignal.send()
    }

    /// Until the task is cancelled.
    func run() async {
        for await _ in arrivalSignal.stream {
            let taken = inbox.withLock { inbox in
                defer { inbox = Inbox() }
                return inbox
            }
            rateLimiter.addRefused(taken.dropped)
            for incoming in taken.waiting { await process(incoming) }
        }
    }

    private func process(_ incoming: Incoming) async {
        let now = clock.now().uptimeMilliseconds
        guard rateLimiter.admit(atUptimeMilliseconds: now) else { return refuse(incoming, at: now) }
        let request: CommandRequest
        do throws(CommandRequestParser.Refusal) {
            if let count = incoming.oversized { throw CommandRequestParser.tooLarge(count) }
            request = try CommandRequestParser.parse(incoming.payload)
        } catch {
            return publish(error.response, to: incoming.reply)
        }
        let isQuestion = CommandAction(rawValue: request.action)?.isReadOnly ?? true
        let verdict = answeredCommands.register(
            request.id, reply: incoming.reply, isQuery: isQuestion, atUptimeMilliseconds: now)
        switch verdict {
        case .ignore: return
        case .full: refuse(incoming, at: now)
        case .resendAnswer(let answer): publish(answer, to: incoming.reply, id: request.id)
        case .execute where incoming.isRetained:
            let problem = "a command is not retained, or it would be done again on each connection; publish it without"
            await respond(with: request.failure(problem))
        case .execute: await execute(request)
        }
    }

    /// Does nothing, and says so once for all the commands that are too many within a minute.
    private func refuse(_ incoming: Incoming, at now: Int64) {
        rateLimiter.addRefused(1)
        guard rateLimiter.isNoticeDue(atUptimeMilliseconds: now) else { return }
        let id = (try? CommandRequestParser.parse(incoming.payload))?.id ?? ""
        // One that was done before, and comes again, has its answer.
        guard !answeredCommands.isKnown(id) else { return }
        let count = rateLimiter.takeRefusedCount(atUptimeMilliseconds: now)
        let others = count > 1 ? ", nor were \(count - 1) before it" : ""
        let problem =
            "too many commands: this one was not done\(others). A device does \(CommandRateLimiter.burst) at once, "
            + "\(CommandRateLimiter.perSecond) a second for a while and \(CommandRateLimiter.perHour) an hour; of those beyond it answers "
            + "one a minute"
        logger.warning("\(count) commands were not done: there are too many")
        publish(CommandRequestParser.Refusal(id: id, problem: problem).response, to: incoming.reply)
    }

    private func execute(_ request: CommandRequest) async {
        logger.info("command \(request.action)", metadata: ["id": "\(request.id)"])
        guard request.action == CommandAction.getCurrentPosition.rawValue else {
            return await respond(with: await commandHandler.handle(request))
        }
        guard positionRequestCount < Self.maximumPositionRequests else {
            return await respond(
                with: request.failure("\(positionRequestCount) requests for the position wait already; ask again later")
            )
        }
        positionRequestCount += 1
        Task {
            await respond(with: await commandHandler.handle(request))
            positionRequestCount -= 1
        }
    }

    // MARK: Out

    /// Remembers an answer, and only then gives it.
    private func respond(with response: CommandResponse) async {
        let answer = JSONCoder.payload(of: response.withAddress(address.path)).bytes
        let replies = answeredCommands.recordAnswer(response.id, answer)
        await save()
        for reply in replies { publish(answer, to: reply, id: response.id) }
    }

    private func save() async {
        do {
            try await parts.store.saveDocument(
                DocumentName.answeredCommands, JSONCoder.payload(of: answeredCommands.persistentCopy).bytes)
        } catch {
            logger.warning("answered commands cannot be remembered: \(error)")
        }
    }

    /// An answer that nobody will ask for again.
    private func publish(_ response: CommandResponse, to reply: AnsweredCommands.Reply) {
        let answer = JSONCoder.payload(of: response.withAddress(address.path)).bytes
        parts.session.publish([Self.message(answer, reply, token: nil)])
    }

    private func publish(_ answer: [UInt8], to reply: AnsweredCommands.Reply, id: String) {
        inFlight[nextToken] = id
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
    func handleConnected() {
        inFlight.removeAll()
        for entry in answeredCommands.undelivered {
            for reply in entry.replies { publish(entry.answer ?? [], to: reply, id: entry.id) }
        }
    }

    /// The broker has answers, or will never take them.
    func completeDelivery(_ tokens: [UInt64]) async {
        var isNew = false
        for token in tokens where token >= Self.firstAnswerToken {
            guard let id = inFlight.removeValue(forKey: token) else { continue }
            guard !inFlight.values.contains(id) else { continue }
            answeredCommands.markDelivered(id)
            isNew = true
        }
        if isNew { await save() }
    }
}
