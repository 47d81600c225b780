import OdographCivilTime
import OdographLink
import OdographSettings

/// Checks the certificates of the TLS settings: their times, whether the client's certificate belongs to its key, and
/// whether its name is that of the device. Files that cannot be read are left to other checks.
package struct CertificateCheck {
    private static let subject = "credentials"
    /// The rest of a certificate's life in which it should be renewed, seconds.
    private static let renewalSeconds: Int64 = 30 * 86_400
    private static let maximumBytes = 4 << 20

    private let tls: TLSSettings
    private let device: String?
    private let now: Timestamp

    /// - Parameters:
    ///   - device: The name of the device; nil for a program that is none.
    package init(_ tls: TLSSettings, device: String? = nil, now: Timestamp = .now) {
        self.tls = tls
        self.device = device
        self.now = now
    }

    /// Returns a finding for each problem; none if everything fits.
    package func findings() -> [Finding] {
        clientFindings() + [authoritiesFinding()].compactMap { $0 }
    }

    private func clientFindings() -> [Finding] {
        guard let path = tls.certificateFile, let bytes = bytes(path) else { return [] }
        var findings: [Finding] = []
        if let keyPath = tls.keyFile, let key = self.bytes(keyPath) {
            switch TLSCertificate.fit(ofPEM: bytes, key: key) {
            case .differs:
                findings.append(
                    Finding(
                        .fail, Self.subject, "the private key \(keyPath) does not belong to the certificate \(path)",
                        advice: "give a matching pair"))
            case .unreadableKey:
                findings.append(
                    Finding(
                        .fail, Self.subject, "the private key \(keyPath) cannot be used",
                        advice: "give a PEM file without a passphrase"))
            case .fits, nil: break
            }
        }
        guard let certificate = TLSCertificate.all(inPEM: bytes)?.first else { return findings }
        if let finding = timeFinding("client certificate \(path)", certificate) { findings.append(finding) }
        if let device, let name = certificate.commonName, name != device {
            findings.append(
                Finding(
                    .warn, Self.subject,
                    "client certificate \(path) is for \"\(name)\", and the device is \"\(device)\"",
                    advice: "use the certificate of this device, unless the broker takes the name from elsewhere"))
        }
        return findings
    }

    /// Returns a finding if no authority of a file is valid, or the last one ends soon. A file often has several, and
    /// some may have ended.
    private func authoritiesFinding() -> Finding? {
        guard let path = tls.caFile, let bytes = bytes(path), let all = TLSCertificate.all(inPEM: bytes) else {
            return nil
        }
        let second = now.secondsSinceEpoch
        let usable = all.filter { $0.validFromSecond <= second && second <= $0.validUntilSecond }
        guard let best = (usable.isEmpty ? all : usable).max(by: { $0.validUntilSecond < $1.validUntilSecond }) else {
            return nil
        }
        return timeFinding("trusted authorities \(path)", best)
    }

    private func timeFinding(_ what: String, _ certificate: TLSCertificate) -> Finding? {
        let second = now.secondsSinceEpoch
        func date(_ second: Int64) -> String {
            Timestamp(secondsSinceEpoch: second).map { Format.time($0) + " UTC" } ?? "unknown"
        }
        let (from, until) = (certificate.validFromSecond, certificate.validUntilSecond)
        if second > until {
            return Finding(.fail, Self.subject, "\(what) ended at \(date(until))", advice: "renew it")
        }
        if second < from {
            return Finding(
                .fail, Self.subject, "\(what) is not valid before \(date(from))",
                advice: "set this machine's clock, or use another certificate")
        }
        guard until - second < Self.renewalSeconds else { return nil }
        return Finding(
            .warn, Self.subject, "\(what) ends in \((until - second) / 86_400) days, at \(date(until))",
            advice: "renew it")
    }

    private func bytes(_ path: String) -> [UInt8]? {
        guard case .success(let bytes) = FileReader.read(path, atMost: Self.maximumBytes) else { return nil }
        return bytes
    }
}
