import CivilTime
import Link
import Logging
import Positioning
import Wire

/// An operator's connection to the broker: what the vehicles of a fleet say of themselves, and what they are told.
///
/// What it knows of a vehicle comes from retained messages, so that it knows those that are asleep as well; only a
/// command needs one that is online.
public actor FleetDesk {
    /// What is known of one vehicle.
    public struct Vehicle: Sendable {
        /// Whether it is connected; nil where it never said.
        public var status: StatusMessage?
        /// What is in force in it; nil where it never said.
        public var report: ReportedMessage?
        /// The time of the newest position that came; known where positions are watched.
        public var positionAt: Timestamp?
    }

    let session: Session
    private let root: String
    private let fleet: String
    /// Each vehicle answers on a topic of its own: no other is one that every broker lets it write.
    private let responseTopic: String
    private var reader: Task<Void, Never>?
    /// Whether there is a connection.
    public private(set) var isConnected = false
    /// Counts what has come: another number may mean another picture.
    public private(set) var news = 0
    private var failure: LinkFailure?
    private var acknowledged: Set<UInt64> = []
    private var refusals: [UInt64: String] = [:]
    private var answers: [String: [String: CommandResponse]] = [:]
    private var nextToken: UInt64 = 0
    /// Topics whose retained message is wanted.
    var watched: [String: Watched] = [:]
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
    public init(broker: BrokerConfiguration, root: String, fleet: String) throws(Failure) {
        do throws(NameError) {
            self.root = try DeviceAddress.checked(root, what: "root")
            self.fleet = try DeviceAddress.checked(fleet, what: "fleet")
        } catch {
            throw Failure(.usage, error.description)
        }
        if broker.isInsecure, !broker.allowsInsecure {
            throw Failure(.usage, "\(broker.url) is plain text that others can read; use mqtts://, or --allow-insecure")
        }
        responseTopic = "\(self.root)/\(self.fleet)/+/response"
        let password: Secret?
        do {
            password = try Credentials.password(for: broker)
        } catch {
            throw Failure(.noInput, error.issues.map { "\(error.origin): \($0.problem)" }.joined(separator: "\n"))
        }
        var quiet = Logger(label: "odograph")
        quiet.logLevel = .critical
        session = Session(
            configuration: broker.link(
                clientID: broker.clientID ?? RandomIdentifier.make(), password: password, remembered: nil),
            logger: quiet)
    }

    // MARK: Life

    /// Connects.
    /// - Parameters:
    ///   - isWatching: whether to listen to the positions and to what the broker holds for the vehicles as well.
    ///   - timeoutSeconds: how long the broker has for it.
    /// - Throws: `Failure` where the broker cannot be reached in time.
    public func open(isWatching: Bool = false, timeoutSeconds: Double = 10) async throws(Failure) {
        let channels = ["status", "reported"] + (isWatching ? ["location", "config"] : [])
        session.subscribe(channels.map { "\(root)/\(fleet)/+/\($0)" } + [responseTopic])
        reader = Task { [weak self, session] in
            for await event in session.events { await self?.take(event) }
        }
        session.start()
        // What will be no better at the next attempt is told at once.
        _ = await wait(seconds: timeoutSeconds) { $0.isConnected || $0.failure?.isLasting == true }
        guard isConnected else {
            let reason = failure.map { "\($0)".printable } ?? "the broker does not answer"
            await close()
            throw Failure(.unavailable, reason)
        }
    }

    /// Takes leave.
    public func close() async {
        await session.stop()
        reader?.cancel()
    }

    /// Waits until something is so, and no longer than so many seconds.
    /// - Returns: whether it is.
    public func wait(seconds: Double, until isSo: @Sendable (isolated FleetDesk) -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isSo(self) {
            guard ContinuousClock.now < end, !Task.isCancelled else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    private func take(_ event: LinkEvent) {
        news += 1
        switch event {
        case .connected: isConnected = true
        case .disconnected(let reason, _): (isConnected, failure) = (false, reason)
        case .acknowledged(let tokens): acknowledged.formUnion(tokens)
        case .refused(let token, _, let text): refusals[token] = text
        case .message(let message): take(message)
        case .subscribed(let filter, let refusal) where watched[filter] != nil:
            if let refusal {
                watched[filter] = .refused(refusal)
            } else if case .asked? = watched[filter] {
                watched[filter] = .granted(.now)
            }
        default: break
        }
    }

    private func take(_ message: IncomingMessage) {
        if message.topic.hasSuffix("/response") { return takeAnswer(message) }
        if watched[message.topic] != nil { return watched[message.topic] = .known(message.payload) }
        let parts = message.topic.split(separator: "/")
        guard parts.count == 4 else { return }
        let name = String(parts[2])
        guard parts[3] != "config" else {
            desired[name] = message.payload.isEmpty ? nil : DesiredDocument(message.payload)
            return
        }
        var vehicle = vehicles[name] ?? Vehicle()
        vehicle.take(message.payload, on: parts[3])
        vehicles[name] = vehicle.isKnown ? vehicle : nil
    }

    /// Takes an answer as that of the vehicle on whose topic it came: the broker lets no other write there, while id and correlation
    /// data are whatever a sender puts in.
    private func takeAnswer(_ message: IncomingMessage) {
        let parts = message.topic.split(separator: "/")
        guard parts.count == 4, let answer = try? JSONText.decode(CommandResponse.self, from: message.payload) else {
            return
        }
        let device = String(parts[2])
        guard answer.address.map({ $0 == "\(root)/\(fleet)/\(device)" }) ?? true else { return }
        answers[answer.id, default: [:]][device] = answer
    }

    /// The vehicles as a table.
    public var table: FleetTable { FleetTable(vehicles, desired: desired) }

    // MARK: Down

    func topic(_ level: DownlinkLevel, device: String, _ channel: DownlinkChannel) throws(Failure) -> String {
        do throws(NameError) {
            if case .group(let name) = level { _ = try DeviceAddress.checked(name, what: "group") }
            return try DeviceAddress(root: root, fleet: fleet, device: device).topic(level, channel)
        } catch {
            throw Failure(.usage, error.description)
        }
    }

    /// Looks at a configuration document that is to be published; empty bytes are none, and good.
    /// - Parameters:
    ///   - document: JSON5.
    ///   - origin: what its mistakes are told under.
    /// - Returns: its hash, as the vehicles report it.
    /// - Throws: ``ConfigurationError`` with all its mistakes.
    public static func checked(_ document: [UInt8], origin: String) throws(ConfigurationError) -> String {
        let hash = SHA256.hexadecimal(of: document)
        if !document.isEmpty {
            try ConfigurationLevels.check(try RemoteDocument(document, hash: hash, origin: origin), origin: origin)
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
        let hash = try Self.checked(document, origin: origin)
        try await publish(OutgoingMessage(topic: topic, payload: document, isRetained: true))
        return hash
    }

    /// Publishes a command and waits for the answer of one vehicle.
    /// - Throws: `Failure` where none comes in time.
    public func command(
        _ action: String, parameters: [String: JSONValue], device: String, timeoutSeconds: Double
    ) async throws -> CommandResponse {
        let topic = try topic(.device, device: device, .command)
        // A retained status comes within moments; a vehicle that has none is asked all the same.
        _ = await wait(seconds: 2) { $0.vehicles[device]?.status != nil }
        if let status = vehicles[device]?.status, status.state == .offline {
            throw Failure(
                .unavailable,
                "\(device) is offline (\(status.reason.printable)); a command reaches a vehicle that is online only"
            )
        }
        let request = CommandRequest(
            id: "desk-\(UInt64.random(in: 0...UInt64.max))", action: action,
            expiresAt: .now.advanced(bySeconds: timeoutSeconds), parameters: parameters)
        try await publish(
            OutgoingMessage(
                topic: topic, payload: try JSONText.bytes(of: request),
                properties: OutgoingMessage.Properties(
                    correlationData: Array(device.utf8),
                    responseTopic: responseTopic.replacing("+", with: device))))
        let id = request.id
        guard await wait(seconds: timeoutSeconds, until: { $0.answers[id]?[device] != nil }),
            let answer = answers[id]?[device]
        else {
            throw Failure(
                .unavailable,
                vehicles[device] == nil
                    ? "\(device) has never been heard of at this broker, and gave no answer\(hint(for: device))"
                    : "\(device) is online but gave no answer within \(Text.duration(seconds: timeoutSeconds))")
        }
        return answer
    }

    func publish(_ message: OutgoingMessage) async throws(Failure) {
        nextToken += 1
        let token = nextToken
        var message = message
        message.token = token
        session.publish([message])
        // A large document over a slow link, 100 kB/s.
        let patience = 10 + Double(message.payload.count) / 1e5
        _ = await wait(seconds: patience) { $0.acknowledged.contains(token) || $0.refusals[token] != nil }
        if let refusal = refusals[token] { throw Failure(.noPermission, "the broker refused it: \(refusal.printable)") }
        guard acknowledged.contains(token) else {
            throw Failure(.unavailable, "the broker did not acknowledge it within \(Int(patience)) s")
        }
    }
}

extension FleetDesk.Vehicle {
    /// Whether anything is known of it.
    fileprivate var isKnown: Bool { status != nil || report != nil || positionAt != nil }

    /// The vehicle, or who clears up behind it, has said something.
    fileprivate mutating func take(_ payload: [UInt8], on channel: Substring) {
        switch channel {
        case "status": status = try? JSONText.decode(StatusMessage.self, from: payload)
        case "location":
            positionAt = (try? JSONText.decode(LocationMessage.self, from: payload))?.location.timestamp
        default:
            var new = try? JSONText.decode(ReportedMessage.self, from: payload)
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
    fileprivate var isLasting: Bool {
        switch self {
        case .fileUnusable, .keyDoesNotMatch, .unknownAuthority, .certificateExpired, .hostNameMismatch,
            .certificateRefused, .badCredentials, .notAuthorized, .banned, .invalidSetting, .hostNotFound,
            .connectionRefused:
            true
        default: false
        }
    }
}
