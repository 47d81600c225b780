import Odograph
import OdographCivilTime
import OdographLink
import Logging
import OdographJSON
import OdographPositioning
import OdographTerminal
import OdographThreads
import OdographWire

/// An operator's connection to the broker, to read the state of the vehicles of a fleet and to send to them.
///
/// The state comes from retained messages and includes offline vehicles. Only a command needs an online vehicle.
public actor FleetClient: BrokerClient {
    /// The known state of a vehicle.
    public struct Vehicle: Sendable {
        /// The last status; nil if there is none.
        public var status: StatusMessage?
        /// The last configuration report; nil if there is none.
        public var report: ReportedMessage?
        /// The fault of the last configuration report; nil if it was read, or there is none.
        package var reportFault: String?
        /// The time of the newest position. It is known only if positions are watched.
        public var positionAt: Timestamp?
        /// The newest position. It is known only if positions are watched.
        public var position: LocationEvent?

        /// Whether the status is newer than the report, or there is no report; false without a status.
        var isStatusNewer: Bool {
            guard let status else { return false }
            return report.map { status.timestamp > $0.timestamp } ?? true
        }

        /// The version of the agent in the newer of status and report; nil if there is neither.
        var agentVersion: String? { isStatusNewer ? status?.version : report?.agentVersion }
    }

    /// The time in which vehicles answer a roll call, seconds: see ``callRollIfNeeded()``.
    public static let rollCallSeconds = 10.0
    /// The time in which the first retained message arrives, seconds.
    private static let retainedSeconds = 1.0

    package let client: MQTTClient
    package var answers = BrokerAnswers()
    /// The first part of every topic.
    public nonisolated let root: String
    /// The name of the fleet.
    public nonisolated let fleet: String
    /// The broker, as `host:port`.
    let brokerName: String
    /// The name of this desk in the documents that it publishes; nil to give none.
    let sender: String?
    /// The filter of the response topics. Each vehicle has its own because some brokers let it write on no other.
    let responseTopic: String
    private var eventTask: Task<Void, Never>?
    /// Whether the client is connected.
    public var isConnected: Bool { answers.isConnected }
    /// The number of events so far. A change means that the state may have changed.
    public private(set) var changeCount = 0
    private(set) var responses: [String: [String: CommandResponse]] = [:]
    /// Whether there is a password or a client certificate.
    private let hasLogin: Bool
    /// Whether a retained message of a vehicle has arrived, so that the broker gives them to this client.
    private var hasRetained = false
    /// The parts of the answers of recorders, by topic, in their order.
    var historyAnswers: [String: [[UInt8]]] = [:]
    /// The documents that the broker delivered on each watched topic, oldest first.
    var documentArrivals: [String: [DesiredDocument]] = [:]
    /// The messages that the broker retains in the searched part of the topics; nil if nothing is searched.
    var foundTopics: Set<String>?
    /// The beginning of the topics of the discovery documents, if they are watched.
    var announcementTopics: String?
    /// The discovery documents that the broker retains, by topic.
    private(set) var announcements: [String: [UInt8]] = [:]
    /// The fleets at the broker, if they were searched.
    var foundFleets: Set<String> = []
    /// The known state of each vehicle, by name.
    public private(set) var vehicles: [String: Vehicle] = [:]
    /// The documents that the broker retains, by level. They are known only if positions are watched.
    public private(set) var desired: [String: DesiredDocument] = [:]

    /// - Parameters:
    ///   - broker: the address and the credentials.
    ///   - root: the first part of every topic.
    ///   - fleet: the name of the fleet.
    ///   - sender: the name that the published documents have as their sender; nil for none.
    /// - Throws: `ExitError` if a name is not valid in a topic, the connection would be insecure without permission,
    ///   or the password file cannot be read.
    public init(broker: BrokerConfiguration, root: String, fleet: String, sender: String? = nil) throws(ExitError) {
        self.sender = sender
        do throws(TopicNameError) {
            self.root = try DeviceAddress.validated(root, part: "root")
            self.fleet = try DeviceAddress.validated(fleet, part: "fleet")
        } catch {
            throw ExitError(.usage, error.description)
        }
        if broker.isInsecure, !broker.allowsInsecure {
            throw ExitError(
                .usage, "\(broker.url) is not encrypted, and others can read it; use mqtts:// or --allow-insecure")
        }
        brokerName = "\(broker.url.host):\(broker.url.port)"
        responseTopic = "\(self.root)/\(self.fleet)/+/response"
        let password: Secret?
        do {
            try BrokerCredentials.checkPaths(of: broker)
            password = try BrokerCredentials.password(for: broker)
        } catch {
            throw ExitError(.noInput, error.issues.map { "\(error.origin): \($0.problem)" }.joined(separator: "\n"))
        }
        if let path = broker.passwordFile, password?.revealed.isEmpty == true {
            throw ExitError(
                .noInput, "\(FileReader.name(of: path)): the first line is empty; write the password into it")
        }
        hasLogin = password?.revealed.isEmpty == false || broker.tls.certificateFile != nil
        var quiet = Logger(label: "odograph")
        quiet.logLevel = .critical
        client = MQTTClient(
            configuration: broker.linkConfiguration(
                clientID: broker.clientID ?? RandomIdentifier.make(), password: password),
            logger: quiet)
    }

    // MARK: Life

    /// Connects to the broker.
    /// - Parameters:
    ///   - isWatching: whether to subscribe also to positions and to the retained configuration documents.
    ///   - timeoutSeconds: the timeout.
    /// - Throws: `ExitError` if the broker cannot be reached in time.
    public func connect(isWatching: Bool = false, timeoutSeconds: Double = 10) async throws(ExitError) {
        let channels = ["status", "reported"] + (isWatching ? ["location", "config"] : [])
        client.subscribe(channels.map { "\(root)/\(fleet)/+/\($0)" } + [responseTopic])
        eventTask = Task { [weak self, client] in
            for await event in client.events { await self?.handle(event) }
        }
        client.start()
        do throws(ExitError) {
            try await awaitConnection(seconds: timeoutSeconds)
        } catch {
            guard !hasLogin, [.badCredentials, .notAuthorized].contains(answers.lastFailure) else { throw error }
            throw ExitError(
                error.code,
                "the broker rejects this client, and no password is given; use --password-file or "
                    + BrokerCredentials.environmentVariable)
        }
    }

    /// Asks all vehicles to publish their state again, if the broker gives this client no retained messages: some
    /// brokers do not for a subscription with a wildcard.
    /// - Returns: whether it asked. The vehicles answer within ``rollCallSeconds``.
    /// - Throws: `ExitError` if the broker does not accept the command.
    public func callRollIfNeeded() async throws(ExitError) -> Bool {
        guard await !wait(seconds: Self.retainedSeconds, until: { $0.hasRetained }) else { return false }
        let request = CommandRequest(
            id: "desk-\(UInt64.random(in: 0...UInt64.max))", action: .rollCall,
            expiresAt: .now.advanced(bySeconds: Self.rollCallSeconds))
        let payload: [UInt8]
        do { payload = try JSONCoder.bytes(of: request) } catch { throw ExitError(.software, "\(error)") }
        try await publish(
            OutgoingMessage(
                topic: try topic(.all, device: "any", .command), payload: payload,
                isRetained: DownlinkChannel.command.isRetained))
        return true
    }

    /// Disconnects from the broker.
    public func disconnect() async {
        await client.stop()
        eventTask?.cancel()
    }

    /// Waits until a condition is true, but at most the given time.
    /// - Returns: whether the condition is true.
    public func wait(seconds: Double, until isSo: @Sendable (isolated FleetClient) -> Bool) async -> Bool {
        await wait(atMost: seconds, until: isSo)
    }

    private func handle(_ event: LinkEvent) {
        changeCount += 1
        answers.handle(event)
        if case .message(let message) = event { handle(message) }
    }

    private func handle(_ message: IncomingMessage) {
        if documentArrivals[message.topic] != nil { documentArrivals[message.topic]?.append(DesiredDocument(message)) }
        guard historyAnswers[message.topic] == nil else {
            historyAnswers[message.topic]?.append(message.payload)
            return
        }
        noteSearched(message)
        if let announcementTopics, message.topic.hasPrefix(announcementTopics) {
            announcements[message.topic] = message.payload.isEmpty ? nil : message.payload
            return
        }
        if message.topic.hasSuffix("/response") { return handleResponse(message) }
        if answers.take(message) { return }
        let parts = message.topic.split(separator: "/")
        guard parts.count == 4, parts[1] == fleet else { return }
        if message.isRetained { hasRetained = true }
        let name = String(parts[2])
        guard parts[3] != "config" else {
            desired[name] = message.payload.isEmpty ? nil : DesiredDocument(message)
            return
        }
        var vehicle = vehicles[name] ?? Vehicle()
        guard vehicle.update(message.payload, on: parts[3]) else { return }
        vehicles[name] = vehicle.isKnown ? vehicle : nil
    }

    /// Assigns a response to the vehicle of its topic. The broker lets no other vehicle write there, whereas any sender
    /// can choose the id and the correlation data.
    private func handleResponse(_ message: IncomingMessage) {
        let parts = message.topic.split(separator: "/")
        guard parts.count == 4, let answer = try? CommandResponse(message: message.payload) else {
            return
        }
        let device = String(parts[2])
        guard answer.address == "\(root)/\(fleet)/\(device)" else { return }
        responses[answer.id, default: [:]][device] = answer
    }

    // MARK: Down

    func topic(_ level: DownlinkLevel, device: String, _ channel: DownlinkChannel) throws(ExitError) -> String {
        do throws(TopicNameError) {
            if case .group(let name) = level { _ = try DeviceAddress.validated(name, part: "group") }
            return try DeviceAddress(root: root, fleet: fleet, device: device).topic(level, channel)
        } catch {
            throw ExitError(.usage, error.description)
        }
    }

    /// Checks a configuration document. An empty document is valid.
    /// - Parameters:
    ///   - document: JSON5.
    ///   - level: the level that it is for.
    ///   - origin: the name of the document in error messages.
    /// - Returns: the document as vehicles get it: strict JSON, which each program can read.
    /// - Throws: `ConfigurationError` with all mistakes.
    @discardableResult
    public static func validate(
        _ document: [UInt8], level: DownlinkLevel, origin: String
    ) throws(ConfigurationError) -> [UInt8] {
        guard !document.isEmpty else { return [] }
        try ConfigurationLevels.validate(
            try ConfigurationDocument(document, hash: SHA256.hexDigest(of: document), level: level, origin: origin),
            origin: origin)
        return FleetDocument.strictJSON(of: document)
    }

    /// Checks a document and publishes it. An empty document withdraws the level. Watches whether another sender
    /// replaces it.
    /// - Parameters:
    ///   - document: the document as the operator has written it: a configuration in JSON5, or a checked set of
    ///     geofences.
    ///   - origin: the name of the document in error messages.
    /// - Returns: the published document.
    /// - Throws: `ConfigurationError` with all mistakes; `ExitError` if the broker does not accept it.
    public func publish(_ document: [UInt8], to place: DocumentPlace, origin: String) async throws -> PublishedDocument
    {
        let channel = place.kind.channel
        let payload =
            switch place.kind {
            case .configuration: try Self.validate(document, level: place.level, origin: origin)
            case .geofences: document
            }
        let topic = try topic(of: place)
        if documentArrivals[topic] == nil {
            documentArrivals[topic] = []
            client.subscribe([topic])
        }
        let senders = sender.map { [IncomingMessage.UserProperty(name: DesiredDocument.senderProperty, value: $0)] }
        try await publish(
            OutgoingMessage(
                topic: topic, payload: payload, isRetained: channel.isRetained,
                properties: OutgoingMessage.Properties(userProperties: senders ?? [])))
        return PublishedDocument(place: place, topic: topic, document: DesiredDocument(payload, sender: sender))
    }

    /// Returns the topic of a document.
    func topic(of place: DocumentPlace) throws(ExitError) -> String {
        try topic(place.level, device: place.device ?? "any", place.kind.channel)
    }
}

extension FleetClient.Vehicle {
    /// Whether any message of the vehicle is known.
    fileprivate var isKnown: Bool { status != nil || report != nil || reportFault != nil || positionAt != nil }

    /// Updates the state from a message of the vehicle, or its last will.
    /// - Returns: false if the channel is not one of the state.
    fileprivate mutating func update(_ payload: [UInt8], on channel: Substring) -> Bool {
        switch channel {
        case "status": status = try? StatusMessage(message: payload)
        case "location":
            position = (try? LocationMessage(message: payload))?.location
            positionAt = position?.timestamp
        case "reported":
            do throws(MessageError) {
                var new = try ReportedMessage(message: payload)
                // A report contains the merged configuration only after a change.
                if let old = report, old.configurationHash == new.configurationHash, new.configuration == nil {
                    new.configuration = old.configuration
                }
                (report, reportFault) = (new, nil)
            } catch {
                // An empty message removes the report.
                (report, reportFault) = (nil, payload.isEmpty ? nil : error.description)
            }
        default: return false
        }
        return true
    }
}
