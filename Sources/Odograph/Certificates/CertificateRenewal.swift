import OdographCivilTime
import OdographLink
import Logging
import OdographPositioning
import OdographSettings
import OdographWire

/// Renews the vehicle's certificate over the broker.
///
/// The agent makes a new key, which never leaves the vehicle, and publishes a request. The operator's program publishes
/// the certificate. Then the agent connects with it, and removes both messages. Each step is a file, so that a restart
/// continues with the next one.
package actor CertificateRenewal {
    /// The reason why there is no renewal.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// The tokens of the messages. Those of records count up from 1, and those of answers begin above.
    static let tokens: ClosedRange<UInt64> = (1 << 61)...(1 << 61) + 1
    private static let (requestToken, removalToken) = (tokens.lowerBound, tokens.upperBound)
    /// The time between two checks whether a certificate ends soon, milliseconds.
    private static let checkIntervalMilliseconds: Int64 = 3_600_000
    /// The time after which a request is published again, and after which a refused certificate is tried again,
    /// seconds.
    private static let retrySeconds = 86_400.0
    private static let maximumBytes = 64 << 10

    private let credentials: VehicleCredentials
    private let address: DeviceAddress
    private let renewDays: Int?
    private let client: MQTTClient
    private let clock: any AgentClock
    private let problems: ProblemRegistry
    private let logger: Logger
    private var isConnected = false
    private var isSubscribed = false
    /// The uptime of the newest request of this run, milliseconds; nil for none.
    private var requestedUptimeMilliseconds: Int64?

    init(
        _ configuration: AgentConfiguration, credentials: VehicleCredentials, client: MQTTClient,
        clock: any AgentClock, problems: ProblemRegistry, logger: Logger
    ) {
        self.credentials = credentials
        address = configuration.address
        renewDays = configuration.certificateRenewDays
        self.client = client
        self.clock = clock
        self.problems = problems
        self.logger = logger
    }

    /// The topic on which the certificate arrives.
    nonisolated var topic: String { address.topic(.answer) }

    private var files: CertificateFiles { credentials.files }

    /// Checks each hour whether a certificate ends soon, until the task is cancelled.
    func run() async {
        await clock.repeatAction(everyMilliseconds: Self.checkIntervalMilliseconds) { await self.proceed() }
    }

    // MARK: What the client says

    func handleConnected() {
        isConnected = true
        proceed()
    }

    func handleDisconnected() { isConnected = false }

    /// Handles messages that the broker has acknowledged.
    func handleAcknowledged(_ tokens: [UInt64]) {
        if tokens.contains(Self.requestToken) { problems.clear(.certificateRefused, reason: "request") }
        // The messages are in order: the removal of the request is acknowledged too.
        if tokens.contains(Self.removalToken), isFinished || credentials.isRequestRefused { credentials.endRequest() }
    }

    /// Handles a message that the broker refuses.
    func handleRefused(_ token: UInt64, text: String) {
        guard token == Self.requestToken else { return }
        problems.raise(
            .certificateRefused,
            "the broker refuses the request for a certificate on \(address.topic(.request)) (\(text)); check the "
                + "broker's access rules",
            reason: "request", at: .warning, in: logger)
    }

    // MARK: The request

    /// Asks for a certificate, for a new key or for that of a request that has no answer yet.
    /// - Throws: ``Refusal``, or an error if the key cannot be saved.
    func renew() throws {
        guard let pair = credentials.pair else {
            throw Refusal(description: "this agent connects without a certificate of its own that it can read")
        }
        guard pair.certificate.commonName == address.device else {
            throw Refusal(
                description: "the certificate is for \"\(pair.certificate.commonName ?? "")\", and not for this device")
        }
        if credentials.isRequestRefused || isFinished { credentials.endRequest() }
        if credentials.pending == nil { try makeRequest() }
        requestedUptimeMilliseconds = nil
        proceed()
    }

    private func makeRequest() throws {
        guard let key = CertificateRequest.newKey(),
            let request = CertificateRequest.make(name: address.device, key: key)
        else { throw Refusal(description: "this machine's OpenSSL cannot make a key and a request") }
        try credentials.savePending(key: key, request: request)
        logger.notice("asking for a new certificate")
    }

    /// Does what is due now.
    private func proceed() {
        guard isConnected, let pair = credentials.pair, pair.certificate.commonName == address.device else { return }
        guard let pending = credentials.pending else {
            guard isDue(pair.certificate) else { return }
            do { try renew() } catch { logger.error("the certificate cannot be renewed: \(error)") }
            return
        }
        if isFinished || credentials.isRequestRefused { return removeMessages() }
        if !isSubscribed {
            isSubscribed = true
            client.subscribe([topic])
        }
        let now = clock.now().uptimeMilliseconds
        if let last = requestedUptimeMilliseconds, Double(now - last) / 1000 < Self.retrySeconds { return }
        requestedUptimeMilliseconds = now
        guard let request = Self.request(in: pending) else { return credentials.endRequest() }
        client.publish([
            OutgoingMessage(
                token: Self.requestToken, topic: address.topic(.request), payload: request,
                isRetained: CertificateChannel.request.isRetained)
        ])
    }

    private func isDue(_ certificate: TLSCertificate) -> Bool {
        guard let renewDays, credentials.secondsSinceRefusal.map({ $0 >= Self.retrySeconds }) ?? true else {
            return false
        }
        let left = certificate.validUntilSecond - clock.now().systemTime.secondsSinceEpoch
        return left <= Int64(renewDays) * 86_400
    }

    /// Returns the request in a file of a key and a request.
    private static func request(in pending: [UInt8]) -> [UInt8]? {
        let text = String(decoding: pending, as: UTF8.self)
        return text.firstRange(of: "-----BEGIN CERTIFICATE REQUEST-----").map { Array(text[$0.lowerBound...].utf8) }
    }

    // MARK: The certificate

    /// Handles a message with a certificate.
    func handleMessage(_ payload: [UInt8]) {
        guard !payload.isEmpty else { return }
        guard let pending = credentials.pending, !isFinished, !credentials.isRequestRefused else {
            return removeMessages()
        }
        guard payload.count <= Self.maximumBytes, TLSCertificate.fit(ofPEM: payload, key: pending) == .fits else {
            // The answer to an earlier request, which the broker still retains.
            return logger.notice("ignoring a certificate for another key")
        }
        do {
            try credentials.trustIntroduced(in: payload)
            if let problem = problem(of: payload) { return refuse(problem) }
            try CertificateFiles.write([Self.first(of: payload), pending], to: files.candidate)
        } catch {
            // The broker retains the message, so the next start tries again.
            return problems.raise(
                .certificateRefused, "the new certificate cannot be saved: \(error)", at: .error, in: logger)
        }
        logger.notice("connecting again with the new certificate")
        client.reconnect()
    }

    /// Returns why the certificate cannot be used; nil if it can.
    private func problem(of payload: [UInt8]) -> String? {
        let name = TLSCertificate.all(inPEM: payload)?.first?.commonName
        guard name == address.device else { return "it is for \"\(name ?? "")\"" }
        // Without a file the vehicle trusts the authorities of the system, which do not sign the fleet's vehicles.
        guard credentials.hasAuthorityFile else { return nil }
        guard let authorities = credentials.authorities else { return "the file of the authorities cannot be read" }
        return CertificateRequest.problem(of: payload, authorities: authorities)
    }

    /// Returns the first certificate of a message. Authorities can follow it.
    private static func first(of message: [UInt8]) -> [UInt8] {
        let text = String(decoding: message, as: UTF8.self)
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        guard let start = text.firstRange(of: begin), let rest = text[start.upperBound...].firstRange(of: end) else {
            return message
        }
        return Array((text[start.lowerBound..<rest.upperBound] + "\n").utf8)
    }

    private func refuse(_ problem: String) {
        credentials.refuse("the new certificate cannot be used, and the earlier one stays in use: \(problem)")
        removeMessages()
    }

    /// Whether the pending key is that of the certificate in use.
    private var isFinished: Bool {
        guard let pending = credentials.pending,
            let renewed = CertificateFiles.bytes(of: files.renewed)
        else { return false }
        return TLSCertificate.fit(ofPEM: renewed, key: pending) == .fits
    }

    /// Removes the retained messages. The pending file stays until the broker has acknowledged that.
    private func removeMessages() {
        client.publish([
            .deletingRetained(address.topic(.request)),
            OutgoingMessage(
                token: Self.removalToken, topic: topic, payload: [], isRetained: CertificateChannel.answer.isRetained),
        ])
    }
}
