import CivilTime
import Link
import Logging
import OdographJSON
import Positioning
import Wire

/// An operator's connection to the broker: what the vehicles of a fleet say of themselves, and what they are told.
///
/// What it knows of a vehicle comes from retained messages, so that it knows those that are asleep as well; only a
/// command needs one that is online.
public actor FleetClient {
    /// What is known of one vehicle.
    public struct Vehicle: Sendable {
        /// Whether it is connected; nil where it never said.
        public var status: StatusMessage?
        /// What is in force in it; nil where it never said.
        public var report: ReportedMessage?
        /// The time of the newest position that came; known where positions are watched.
        public var positionAt: Timestamp?
    }

    let session: MQTTSession
    private let root: String
    private let fleet: String
    /// Each vehicle answers on a topic of its own: no other is one that every broker lets it write.
    private let responseTopic: String
    private var eventTask: Task<Void, Never>?
    /// Whether there is a connection.
    public private(set) var isConnected = false
    /// Counts what has come: another number may mean another picture.
    public private(set) var changeCount = 0
    private var lastFailure: LinkFailure?
    private var acknowledgedTokens: Set<UInt64> = []
    private var rejections: [UInt64: String] = [:]
    private var responses: [String: [String: CommandResponse]] = [:]
    private var nextToken: UInt64 = 0
    /// Topics whose retained message is wanted.
    var retainedStates: [String: RetainedState] = [:]
    /// What is known of each vehicle, by name.
    public private(set) var vehicles: [String: Vehicle] = [:]
    /// The documents that the broker holds, by level; known where positions are watched.
    public private(set) var desired: [String: DesiredDocument] = [:]

    /// - Parameters:
    ///   - broker: where it is and how to log in.
    ///   - root: the first part of every topic.
    ///   - fleet: the fleet's name.
    /// - Throws: `Failure` where a name cannot stand in a topic, the way to the broker is open to all, or a named password
    ///   file cannot be read.
    public init(broker: BrokerConfiguration, root: String, fleet: String) throws(ExitError) {
        do throws(TopicNameError) {
            self.root = try DeviceAddress.validated(root, part: "root")
            self.fleet = try DeviceAddress.validated(fleet, part: "fleet")
        } catch {
            throw ExitError(.usage, error.description)
        }
        if broker.isInsecure, !broker.allowsInsecure {
            throw ExitError(
                .usage, "\(broker.url) is plain text that others can read; use mqtts://, or --allow-insecure")
        }
        responseTopic = "\(self.root)/\(self.fleet)/+/response"
        let password: Secret?
        do {
            password = try BrokerCredentials.password(for: broker)
        } catch {
            throw ExitError(.noInput, error.issues.map { "\(error.origin): \($0.problem)" }.joined(separator: "\n"))
        }
        var quiet = Logger(label: "odograph")
        quiet.logLevel = .critical
        session = MQTTSession(
            configuration: broker.linkConfiguration(
                clientID: broker.clientID ?? RandomIdentifier.make(), password: password, rememberedVersion: nil),
            logger: quiet)
    }

    // MARK: Life

    /// Connects.
    /// - Parameters:
    ///   - isWatching: whether to listen to the positions and to what the broker holds for the vehicles as well.
    ///   - timeoutSeconds: how long the broker has for it.
    /// - Throws: `Failure` where the broker cannot be reached in time.
    public func connect(isWatching: Bool = false, timeoutSeconds: Double = 10) async throws(ExitError) {
        let channels = ["status", "reported"] + (isWatching ? ["location", "config"] : [])
        session.subscribe(channels.map { "\(root)/\(fleet)/+/\($0)" } + [responseTopic])
        eventTask = Task { [weak self, session] in
            for await event in session.events { await self?.handle(event) }
        }
        session.start()
        // What will be no better at the next attempt is told at once.
        _ = await wait(seconds: timeoutSeconds) { $0.isConnected || $0.lastFailure?.isPermanent == true }
        guard isConnected else {
            let reason = lastFailure.map { "\($0)".printable } ?? "the broker does not answer"
            await disconnect()
            throw ExitError(.unavailable, reason)
        }
    }

    /// Takes leave.
    public func disconnect() async {
        await session.stop()
        eventTask?.cancel()
    }

    /// Waits until something is so, and no longer than so many seconds.
    /// - Returns: whether it is.
    public func wait(seconds: Double, until isSo: @Sendable (isolated FleetClient) -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isSo(self) {
            guard ContinuousClock.now < end, !Task.isCancelled else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    private func handle(_ event: LinkEvent) {
        changeCount += 1
        switch event {
        case .connected: isConnected = true
        case .disconnected(let reason, _): (isConnected, lastFailure) = (false, reason)
        case .acknowledged(let tokens): acknowledgedTokens.formUnion(tokens)
        case .refused(let token, _, let text): rejections[token] = text
        case .message(let message): handle(message)
        case .subscribed(let filter, let refusal) where retainedStates[filter] != nil:
            if let refusal {
                retainedStates[filter] = .rejected(refusal)
            } else if case .subscribing? = retainedStates[filter] {
                retainedStates[filter] = .subscribed(.now)
            }
        default: break
        }
    }

    private func handle(_ message: IncomingMessage) {
        if message.topic.hasSuffix("/response") { return handleResponse(message) }
        if retainedStates[message.topic] != nil { return retainedStates[message.topic] = .received(message.payload) }
        let parts = message.topic.split(separator: "/")
        guard parts.count == 4 else { return }
        let name = String(parts[2])
        guard parts[3] != "config" else {
            desired[name] = message.payload.isEmpty ? nil : DesiredDocument(message.payload)
            return
        }
        var vehicle = vehicles[name] ?? Vehicle()
        vehicle.update(message.payload, on: parts[3])
        vehicles[name] = vehicle.isKnown ? vehicle : nil
    }

    /// Takes an answer as that of the vehicle on whose topic it came: the broker lets no other write there, while id and correlation
    /// data are whatever a sender puts in.
    private func handleResponse(_ message: IncomingMessage) {
        let parts = message.topic.split(separator: "/")
        guard parts.count == 4, let answer = try? JSONCoder.decode(CommandResponse.self, from: message.payload) else {
            return
        }
        let device = String(parts[2])
        guard answer.address.map({ $0 == "\(root)/\(fleet)/\(device)" }) ?? true else { return }
        responses[answer.id, default: [:]][device] = answer
    }

    /// The vehicles as a table.
    public var table: FleetTable { FleetTable(vehicles, desired: desired) }

    // MARK: Down

    func topic(_ level: DownlinkLevel, device: String, _ channel: DownlinkChannel) throws(ExitError) -> String {
        do throws(TopicNameError) {
            if case .group(let name) = level { _ = try DeviceAddress.validated(name, part: "group") }
            return try DeviceAddress(root: root, fleet: fleet, device: device).topic(level, channel)
        } catch {
            throw ExitError(.usage, error.description)
        }
    }

    /// Looks at a configuration document that is to be published; empty bytes are none, and good.
    /// - Parameters:
    ///   - document: JSON5.
    ///   - origin: what its mistakes are told under.
    /// - Returns: its hash, as the vehicles report it.
    /// - Throws: ``ConfigurationError`` with all its mistakes.
    public static func validate(_ document: [UInt8], origin: String) throws(ConfigurationError) -> String {
        let hash = SHA256.hexDigest(of: document)
        if !document.isEmpty {
            try ConfigurationLevels.validate(
                try ConfigurationDocument(document, hash: hash, origin: origin), origin: origin)
        }
        return hash
    }

    /// Publishes a configuration document, once it is known to be a good one; empty bytes withdraw the level.
    /// - Returns: its hash, as the vehicles report it.
    /// - Throws: ``ConfigurationError`` with all its mistakes; `Failure` where the broker does not take it.
    public func publishConfiguration(
        _ document: [UInt8], to level: DownlinkLevel, device: String, origin: String
    ) async throws -> String {
        let topic = try topic(level, device: device, .config)
        let hash = try Self.validate(document, origin: origin)
        try await publish(OutgoingMessage(topic: topic, payload: document, isRetained: true))
        return hash
    }

    /// Publishes a command and waits for the answer of one vehicle.
    /// - Throws: `Failure` where none comes in time.
    public func sendCommand(
        _ action: String, parameters: [String: JSONValue], device: String, timeoutSeconds: Double
    ) async throws -> CommandResponse {
        let topic = try topic(.device, device: device, .command)
        // A retained status comes within moments; a vehicle that has none is asked all the same.
        _ = await wait(seconds: 2) { $0.vehicles[device]?.status != nil }
        if let status = vehicles[device]?.status, status.state == .offline {
            throw ExitError(
                .unavailable,
                "\(device) is offline (\(status.reason.printable)); a command reaches a vehicle that is online only"
            )
        }
        let request = CommandRequest(
            id: "desk-\(UInt64.random(in: 0...UInt64.max))", action: action,
            expiresAt: .now.advanced(bySeconds: timeoutSeconds), parameters: parameters)
        try await publish(
            OutgoingMessage(
                topic: topic, payload: try JSONCoder.bytes(of: request),
                properties: OutgoingMessage.Properties(
                    correlationData: Array(device.utf8),
                    responseTopic: responseTopic.replacing("+", with: device))))
        let id = request.id
        guard await wait(seconds: timeoutSeconds, until: { $0.responses[id]?[device] != nil }),
            let answer = responses[id]?[device]
        else {
            throw ExitError(
                .unavailable,
                vehicles[device] == nil
                    ? "\(device) has never been heard of at this broker, and gave no answer\(suggestion(for: device))"
                    : "\(device) is online but gave no answer within \(Format.duration(seconds: timeoutSeconds))")
        }
        return answer
    }

    func publish(_ message: OutgoingMessage) async throws(ExitError) {
        nextToken += 1
        let token = nextToken
        var message = message
        message.token = token
        session.publish([message])
        // A large document over a slow link, 100 kB/s.
        let patience = 10 + Double(message.payload.count) / 1e5
        _ = await wait(seconds: patience) { $0.acknowledgedTokens.contains(token) || $0.rejections[token] != nil }
        if let refusal = rejections[token] {
            throw ExitError(.noPermission, "the broker refused it: \(refusal.printable)")
        }
        guard acknowledgedTokens.contains(token) else {
            throw ExitError(.unavailable, "the broker did not acknowledge it within \(Int(patience)) s")
        }
    }
}

extension FleetClient.Vehicle {
    /// Whether anything is known of it.
    fileprivate var isKnown: Bool { status != nil || report != nil || positionAt != nil }

    /// The vehicle, or who clears up behind it, has said something.
    fileprivate mutating func update(_ payload: [UInt8], on channel: Substring) {
        switch channel {
        case "status": status = try? JSONCoder.decode(StatusMessage.self, from: payload)
        case "location":
            positionAt = (try? JSONCoder.decode(LocationMessage.self, from: payload))?.location.timestamp
        default:
            var new = try? JSONCoder.decode(ReportedMessage.self, from: payload)
            // The merged configuration is told when it changes.
            if let old = report, old.configurationHash == new?.configurationHash, new?.configuration == nil {
                new?.configuration = old.configuration
            }
            report = new
        }
    }
}

extension LinkFailure {
    /// Whether the next attempt would fail in the same way.
    fileprivate var isPermanent: Bool {
        switch self {
        case .fileUnusable, .keyMismatch, .unknownAuthority, .certificateExpired, .hostNameMismatch,
            .certificateRefused, .badCredentials, .notAuthorized, .banned, .invalidSetting, .hostNotFound,
            .connectionRefused:
            true
        default: false
        }
    }
}
