import OdographCivilTime
import OdographLink
import Logging
import OdographJSON
import OdographModel
import OdographPositioning
import OdographStore
import OdographThreads
import OdographWire

/// Executes the commands that arrive over MQTT, and answers each of them once.
actor RemoteCommands {
    /// The first token of an answer. The tokens of records count up from 1.
    static let firstAnswerToken: UInt64 = 1 << 62
    /// The maximum number of waiting commands. Further ones are dropped unread.
    private static let maximumWaiting = 256
    /// The maximum number of concurrent position requests. They take long, so other commands do not wait for them.
    private static let maximumPositionRequests = 8

    private struct Incoming: Sendable {
        var payload: [UInt8]
        var reply: AnsweredCommands.Reply
        var isRetained: Bool
        var oversized: Int?
    }

    private let store: AgentStore
    private let client: MQTTClient
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
        /// The number of commands dropped for lack of room.
        var dropped = 0
    }

    private let inbox = Lock(Inbox())
    private let arrivalSignal = CoalescingSignal()

    private init(
        answeredCommands: AnsweredCommands, commandHandler: CommandHandler, address: DeviceAddress,
        clock: any AgentClock, logger: Logger
    ) {
        self.answeredCommands = answeredCommands
        store = commandHandler.store
        client = commandHandler.client
        self.commandHandler = commandHandler
        self.address = address
        self.clock = clock
        self.logger = logger
    }

    /// Loads the commands that the last run answered.
    static func load(
        commandHandler: CommandHandler, address: DeviceAddress, clock: any AgentClock, logger: Logger
    ) async -> RemoteCommands {
        let saved = await SavedDocument.read(DocumentName.answeredCommands, from: commandHandler.store)
        let memory = saved.parsed {
            try? JSONCoder.decode(AnsweredCommands.self, from: $0)
        } onUnreadable: { reason in
            commandHandler.problems.raiseUnreadable(
                "the list of answered commands", reason, effect: "a repeated command is executed again", in: logger)
        }
        var resumed = memory ?? AnsweredCommands()
        resumed.resetTimes(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        return RemoteCommands(
            answeredCommands: resumed, commandHandler: commandHandler, address: address, clock: clock,
            logger: logger)
    }

    /// Merges the answered commands of earlier runs, when their database becomes readable.
    func mergeRecoveredDocuments(_ documents: [String: [UInt8]]) async {
        let saved = documents[DocumentName.answeredCommands]
        guard var earlier = saved.flatMap({ try? JSONCoder.decode(AnsweredCommands.self, from: $0) }) else { return }
        earlier.resetTimes(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        answeredCommands.merge(earlier)
        await save()
    }

    // MARK: In

    /// Queues a command. An empty message is none: it removes one that the broker retained.
    nonisolated func offer(_ message: IncomingMessage) {
        guard !message.payload.isEmpty else { return }
        let isTooLarge = message.payload.count > CommandRequestParser.maximumBytes
        offer(
            Incoming(
                payload: isTooLarge ? [] : message.payload,
                reply: AnsweredCommands.Reply(
                    topic: address.replyTopic(message.responseTopic),
                    correlation: message.correlationData),
                isRetained: message.isRetained, oversized: isTooLarge ? message.payload.count : nil))
    }

    /// Queues the refusal of a command that was too large for the link.
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

    /// Handles commands until the task is cancelled.
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
        // Its answer is for all clients, so none needs to be remembered.
        if request.action == .rollCall, !incoming.isRetained {
            guard request.problem(for: address, at: clock.now().systemTime) == nil else { return }
            return await commandHandler.rollCall.ask()
        }
        let isQuestion = request.action.isReadOnly
        let verdict = answeredCommands.register(
            request.id, reply: incoming.reply, isQuery: isQuestion, atUptimeMilliseconds: now)
        switch verdict {
        case .ignore: return
        case .full: refuse(incoming, at: now)
        case .resendAnswer(let answer): publish(answer, to: incoming.reply, id: request.id)
        case .execute where incoming.isRetained:
            let problem =
                "not executed: a retained command would be executed on each connection; publish it without retain"
            await respond(with: request.failure(problem))
        case .execute: await execute(request)
        }
    }

    /// Refuses a command. One answer a minute reports all refused commands.
    private func refuse(_ incoming: Incoming, at now: Int64) {
        rateLimiter.addRefused(1)
        guard rateLimiter.isNoticeDue(atUptimeMilliseconds: now) else { return }
        let id = (try? CommandRequestParser.parse(incoming.payload))?.id ?? ""
        // A repeated command was already answered.
        guard !answeredCommands.isKnown(id) else { return }
        let count = rateLimiter.takeRefusedCount(atUptimeMilliseconds: now)
        let others = count > 1 ? ", and \(count - 1) before it were not executed" : ""
        let problem =
            "too many commands: this one was not executed\(others). A device executes \(CommandRateLimiter.burst) at "
            + "once, \(CommandRateLimiter.perSecond) per second for a while and \(CommandRateLimiter.perHour) per hour; "
            + "it rejects the others with one response per minute"
        logger.warning("\(count) commands were not executed: too many commands")
        publish(CommandRequestParser.Refusal(id: id, problem: problem).response, to: incoming.reply)
    }

    private func execute(_ request: CommandRequest) async {
        logger.info("command \(request.action)", metadata: ["id": "\(request.id)"])
        guard !request.action.isLocal else {
            return await respond(
                with: request.failure("\(request.action) is only for programs on the vehicle, at the control socket"))
        }
        guard request.action == .getCurrentPosition else {
            return await respond(with: await commandHandler.handle(request))
        }
        guard positionRequestCount < Self.maximumPositionRequests else {
            return await respond(
                with: request.failure("\(positionRequestCount) position requests are already pending; try again later")
            )
        }
        positionRequestCount += 1
        Task {
            await respond(with: await commandHandler.handle(request))
            positionRequestCount -= 1
        }
    }

    // MARK: Out

    /// Saves an answer and then publishes it.
    private func respond(with response: CommandResponse) async {
        let answer = JSONCoder.payload(of: response.withAddress(address.path)).bytes
        let replies = answeredCommands.recordAnswer(response.id, answer)
        await save()
        for reply in replies { publish(answer, to: reply, id: response.id) }
    }

    private func save() async {
        do {
            try await store.saveDocument(
                DocumentName.answeredCommands, JSONCoder.payload(of: answeredCommands.persistentCopy).bytes)
        } catch {
            logger.warning("cannot save the answered commands: \(error)")
        }
    }

    /// Publishes an answer that need not be remembered.
    private func publish(_ response: CommandResponse, to reply: AnsweredCommands.Reply) {
        let answer = JSONCoder.payload(of: response.withAddress(address.path)).bytes
        client.publish([Self.message(answer, reply, token: nil)])
    }

    private func publish(_ answer: [UInt8], to reply: AnsweredCommands.Reply, id: String) {
        inFlight[nextToken] = id
        client.publish([Self.message(answer, reply, token: nextToken)])
        nextToken += 1
    }

    private static func message(
        _ answer: [UInt8], _ reply: AnsweredCommands.Reply, token: UInt64?
    ) -> OutgoingMessage {
        OutgoingMessage(
            token: token, topic: reply.topic, payload: answer, isRetained: UplinkChannel.response.isRetained,
            properties: OutgoingMessage.Properties(
                correlationData: reply.correlation, contentType: "application/json"))
    }

    // MARK: What the client says

    /// Publishes the answers that the last connection did not deliver.
    func handleConnected() {
        inFlight.removeAll()
        for entry in answeredCommands.undelivered {
            for reply in entry.replies { publish(entry.answer ?? [], to: reply, id: entry.id) }
        }
    }

    /// Handles answers that the broker accepted or will never accept.
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
