import OdographCivilTime
import OdographLink
import OdographSettings

/// A certificate by which the broker knows the vehicle, and the files of it and of its key.
struct ClientPair: Sendable {
    var certificateFile: String
    var keyFile: String
    var certificate: TLSCertificate

    /// Reads a pair.
    /// - Returns: nil if a file cannot be read, or the key does not belong to the certificate.
    init?(certificateFile: String, keyFile: String) {
        guard let certificate = CertificateFiles.bytes(of: certificateFile),
            let key = CertificateFiles.bytes(of: keyFile),
            TLSCertificate.fit(ofPEM: certificate, key: key) == .fits,
            let facts = TLSCertificate.all(inPEM: certificate)?.first
        else { return nil }
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.certificate = facts
    }

    /// Returns the pair in use: of the one of the configuration and the renewed one, the newer one that has not ended.
    static func inUse(_ tls: TLSSettings, files: CertificateFiles, at now: Timestamp) -> ClientPair? {
        guard let certificateFile = tls.certificateFile, let keyFile = tls.keyFile else { return nil }
        let given = ClientPair(certificateFile: certificateFile, keyFile: keyFile)
        guard let renewed = ClientPair(certificateFile: files.renewed, keyFile: files.renewed) else { return given }
        guard let given else { return renewed }
        // A renewed certificate of another name comes from another vehicle, with a copy of its disk.
        guard renewed.certificate.commonName == given.certificate.commonName else { return given }
        let isNewer = renewed.certificate.validFromSecond >= given.certificate.validFromSecond
        let (newer, older) = isNewer ? (renewed, given) : (given, renewed)
        let second = now.secondsSinceEpoch
        let isOlderOnly = newer.certificate.validUntilSecond < second && older.certificate.validUntilSecond >= second
        return isOlderOnly ? older : newer
    }
}

extension AgentConfiguration {
    /// The configuration with the certificate, the key and the authorities that the agent uses at a time.
    package func withCertificateInUse(at now: Timestamp = .now) -> AgentConfiguration {
        let files = CertificateFiles(besideStore: store.path)
        var copy = self
        if let pair = ClientPair.inUse(broker.tls, files: files, at: now) {
            (copy.broker.tls.certificateFile, copy.broker.tls.keyFile) = (pair.certificateFile, pair.keyFile)
        }
        // The agent writes this file when it connects. Who may not look into its folder does not know whether it is
        // there.
        if broker.tls.caFile != nil, FileReader.mayExist(files.introduced), FileReader.mayExist(files.authorities),
            FileReader.maySee(files.authorities)
        {
            copy.broker.tls.caFile = files.authorities
        }
        return copy
    }
}
