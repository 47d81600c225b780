import OdographCivilTime
import OdographLink
import Logging
import OdographPositioning
import OdographSettings
import OdographThreads
import OdographWire

/// The vehicle's certificate and key of each attempt to connect: those of the configuration, or renewed ones.
///
/// Of the two, the newer one that has not ended is in use. The functions may be called on any thread.
final class VehicleCredentials: Sendable {
    private struct State {
        var trial = CertificateTrial()
        var server: ServerCertificates?
        /// The uptime of the newest refusal, milliseconds; nil for none.
        var refusedUptimeMilliseconds: Int64?
        /// Whether the request of the refused certificate is still there.
        var isRequestRefused = false
    }

    let files: CertificateFiles
    private let address: DeviceAddress
    /// The TLS settings of the configuration; nil without a client certificate.
    private let configured: TLSSettings?
    private let clock: any AgentClock
    private let problems: ProblemRegistry
    private let logger: Logger
    private let state = Lock(State())

    init(_ configuration: AgentConfiguration, clock: any AgentClock, problems: ProblemRegistry, logger: Logger) {
        files = CertificateFiles(besideStore: configuration.store.path)
        address = configuration.address
        let broker = configuration.broker
        configured = broker.urls.contains(where: \.isSecure) && broker.tls.certificateFile != nil ? broker.tls : nil
        self.clock = clock
        self.problems = problems
        self.logger = logger
        if configured != nil { files.removeLeftovers() }
    }

    /// The authorities that the vehicle trusts, PEM: those of the configuration, and those that they have introduced.
    /// nil if the configuration names no file, or it cannot be read.
    var authorities: [UInt8]? {
        configured?.caFile.flatMap(CertificateFiles.bytes(of:)).map { given in
            CertificateFiles.bytes(of: files.introduced).map { given + Array("\n".utf8) + $0 } ?? given
        }
    }

    /// Whether the configuration names the file of the authorities.
    var hasAuthorityFile: Bool { configured?.caFile != nil }

    /// Trusts the authorities that came with a certificate, if a trusted one introduces them.
    func trustIntroduced(in message: [UInt8]) throws {
        guard let authorities,
            let new = CertificateRequest.introducedAuthorities(in: message, trusted: authorities),
            !String(decoding: authorities, as: UTF8.self).contains(String(decoding: new, as: UTF8.self))
        else { return }
        let known = CertificateFiles.bytes(of: files.introduced) ?? []
        try CertificateFiles.write([known, new], to: files.introduced)
        logger.notice("trusting a further authority, which came with the certificate")
    }

    /// Returns the file of all authorities; nil if that of the configuration is enough, or the disk is not writable.
    private func authorityFile() -> String? {
        guard CertificateFiles.bytes(of: files.introduced) != nil, let authorities else { return nil }
        if CertificateFiles.bytes(of: files.authorities) == authorities { return files.authorities }
        do {
            try CertificateFiles.write([authorities], to: files.authorities)
            return files.authorities
        } catch {
            logger.warning("the further authorities are not trusted: \(error)")
            return nil
        }
    }

    /// The pending key and the request for it, PEM; nil if there is none of this vehicle. A disk that was copied from
    /// another vehicle has that vehicle's key, which must not get a certificate of this one.
    var pending: [UInt8]? {
        guard let bytes = CertificateFiles.bytes(of: files.pending) else { return nil }
        let owner = Array("\(address.path)\n".utf8)
        return bytes.starts(with: owner) ? Array(bytes.dropFirst(owner.count)) : nil
    }

    /// Saves a new key and the request for it.
    func savePending(key: [UInt8], request: [UInt8]) throws {
        try CertificateFiles.write([Array("\(address.path)\n".utf8), key, request], to: files.pending)
    }

    /// The pair in use; nil without a client certificate, or if it cannot be read.
    var pair: ClientPair? {
        configured.flatMap { ClientPair.inUse($0, files: files, at: clock.now().systemTime) }
    }

    /// The ends of the certificates of the connection; nil without TLS, and before the first connection of a vehicle
    /// without a certificate.
    var ends: CertificateEnds? {
        let server = state.withLock { $0.server }
        func time(_ second: Int64?) -> Timestamp? { second.flatMap { Timestamp(secondsSinceEpoch: $0) } }
        let ends = CertificateEnds(
            vehicle: time(pair?.certificate.validUntilSecond), broker: time(server?.brokerUntilSecond),
            authority: time(server?.authorityUntilSecond))
        return ends == CertificateEnds() ? nil : ends
    }

    /// The seconds since the newest refusal of a new certificate; nil if there was none in this run.
    var secondsSinceRefusal: Double? {
        let now = clock.now().uptimeMilliseconds
        return state.withLock { $0.refusedUptimeMilliseconds }.map { Double(now - $0) / 1000 }
    }

    // MARK: Attempts

    /// Returns the TLS settings of an attempt that begins.
    func settings(for given: TLSSettings) -> TLSSettings {
        guard configured != nil else { return given }
        var candidate = ClientPair(certificateFile: files.candidate, keyFile: files.candidate)
        // That of another name comes from another vehicle, with a copy of its disk.
        if candidate?.certificate.commonName != address.device { candidate = nil }
        if candidate == nil { files.removeCandidate() }
        let isTrial = state.withLock { $0.trial.begin(hasCandidate: candidate != nil) }
        return settings(given, with: isTrial ? candidate : pair)
    }

    /// Returns the TLS settings of another client, which tries no new certificate.
    func settingsInUse(for given: TLSSettings) -> TLSSettings {
        configured == nil ? given : settings(given, with: pair)
    }

    private func settings(_ given: TLSSettings, with used: ClientPair?) -> TLSSettings {
        var settings = given
        if let file = authorityFile() { settings.caFile = file }
        guard let used else { return settings }
        (settings.certificateFile, settings.keyFile) = (used.certificateFile, used.keyFile)
        return settings
    }

    /// Handles a connection that the broker has accepted.
    func handleConnected(_ info: ConnectionInfo) {
        let verdict = state.withLock { state in
            state.server = info.certificates
            return state.trial.handleConnected()
        }
        switch verdict {
        case .open, .refused: return
        case .accepted:
            guard files.promoteCandidate() else {
                return logger.warning("\(files.renewed) cannot be written; the new certificate stays on trial")
            }
            problems.clear(.certificateRefused)
            logger.notice("the broker has accepted the new certificate")
        }
    }

    /// Handles an attempt without a connection.
    func handleFailure(_ failure: LinkFailure) {
        let verdict = state.withLock { $0.trial.handleFailure(failure) }
        switch verdict {
        case .open, .accepted: return
        case .refused(let reason):
            refuse("the broker refuses the new certificate, and the earlier one stays in use: \(reason)")
        }
    }

    /// Discards the new certificate, and raises a problem. The pending key stays until the messages are removed: if the
    /// agent ends before that, its next run tries the certificate again.
    func refuse(_ text: String) {
        files.removeCandidate()
        let now = clock.now().uptimeMilliseconds
        state.withLock { state in
            state.refusedUptimeMilliseconds = now
            state.isRequestRefused = true
        }
        problems.raise(.certificateRefused, text, at: .error, in: logger)
    }

    /// Whether the newest request has led to a certificate that cannot be used.
    var isRequestRefused: Bool { state.withLock { $0.isRequestRefused } }

    /// Forgets the key of the newest request.
    func endRequest() {
        files.removePending()
        state.withLock { $0.isRequestRefused = false }
    }
}
