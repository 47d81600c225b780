/// A certificate authority for tests, which issues certificates with `openssl`.
public struct Authority: Sendable {
    /// The folder of the certificates and keys.
    public let folder: TemporaryFolder
    let name: String

    /// The path of the authority's own certificate.
    public var certificate: String { folder.file("\(name).crt") }

    /// - Parameters:
    ///   - name: The base name of the authority's files.
    ///   - folder: The folder of its files.
    ///   - days: The time after which its certificate ends.
    public init(_ name: String = "authority", in folder: TemporaryFolder, days: Int = 2) async throws {
        (self.folder, self.name) = (folder, name)
        try await Self.openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "\(days)",
            "-subj", "/CN=\(name)", "-keyout", folder.file("\(name).key"), "-out", certificate)
    }

    /// Issues `<file>.crt` and `<file>.key` in the folder.
    /// - Parameters:
    ///   - alternativeName: The subject's alternative name, such as `IP:127.0.0.1` or `DNS:broker.example`.
    ///   - isExpired: Whether the certificate has expired.
    ///   - days: The time after which a certificate that has not expired ends.
    public func issue(
        _ file: String, alternativeName: String = "IP:127.0.0.1", isExpired: Bool = false, days: Int = 2
    ) async throws {
        let request = folder.file("\(file).csr")
        try await Self.openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(file)",
            "-keyout", folder.file("\(file).key"), "-out", request)
        let extensions = try folder.write("subjectAltName=\(alternativeName)\n", to: "\(file).ext")
        let serial = String(UInt32.random(in: 1...UInt32.max))
        var arguments = [
            "x509", "-req", "-in", request, "-CA", certificate, "-CAkey", folder.file("\(name).key"),
            "-set_serial", serial, "-extfile", extensions, "-out", folder.file("\(file).crt"),
        ]
        arguments += isExpired ? try await Self.expiredOptions() : ["-days", "\(days)"]
        try await Self.openssl(arguments)
    }

    /// Returns the options of `openssl x509` for a certificate that has expired. OpenSSL refuses a negative number of
    /// days from 3.4 on, and earlier ones have no options for the dates.
    public static func expiredOptions() async throws -> [String] {
        let help = try await ChildProcess.run("openssl", ["x509", "-help"])
        return (help.output + help.errors).contains("-not_after")
            ? ["-not_before", "20260101000000Z", "-not_after", "20260102000000Z"] : ["-days", "-1"]
    }

    /// Writes `<name>.crl`, which revokes the certificate.
    public func revoke(_ file: String) async throws {
        let (index, number) = (try folder.write("", to: "index.txt"), try folder.write("01\n", to: "crlnumber"))
        let settings = try folder.write(
            """
            [ca]
            default_ca = it
            [it]
            database = \(index)
            crlnumber = \(number)
            default_md = sha256
            default_crl_days = 2
            certificate = \(certificate)
            private_key = \(folder.file("\(name).key"))
            """, to: "ca.conf")
        try await Self.openssl("ca", "-config", settings, "-revoke", folder.file("\(file).crt"))
        try await Self.openssl("ca", "-config", settings, "-gencrl", "-out", folder.file("\(name).crl"))
    }

    private static func openssl(_ arguments: String...) async throws { try await openssl(arguments) }

    private static func openssl(_ arguments: [String]) async throws {
        let (ending, _, errors) = try await ChildProcess.run("openssl", arguments)
        guard ending == .exited(0) else { throw HarnessError("openssl \(arguments): \(errors)") }
    }
}
