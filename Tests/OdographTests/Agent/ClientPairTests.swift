import Glibc
import OdographCivilTime
import OdographHarness
import OdographLink
import Testing

@testable import Odograph

@Suite("The certificate in use")
struct ClientPairTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a certificate with its key in one file.
    private func make(_ file: String, name: String = "van-7", from: String, until: String) async throws {
        let script = """
            cd "$0"
            openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -subj "/CN=$2" -out request
            : >index
            printf '%s\\n' '[ca]' 'default_ca = a' '[a]' 'database = index' 'new_certs_dir = .' 'rand_serial = yes' \\
                'default_md = sha256' 'policy = p' '[p]' 'commonName = supplied' >settings
            openssl ca -batch -notext -config settings -selfsign -keyfile key -in request -startdate "$3" -enddate "$4" \\
                -out certificate
            cat certificate key >"$1"
            """
        let ran = try await ChildProcess.run("bash", ["-ec", script, folder.path, file, name, from, until])
        #expect(ran.ending == .exited(0), "\(ran.errors)")
    }

    private func inUse(at day: String) throws -> String? {
        let given = folder.file("given")
        let now = try #require(Timestamp(iso8601: "\(day)T00:00:00Z"))
        let files = CertificateFiles(besideStore: folder.file("agent.db"))
        let pair = ClientPair.inUse(TLSSettings(certificateFile: given, keyFile: given), files: files, at: now)
        return pair.flatMap { $0.keyFile.split(separator: "/").last.map(String.init) }
    }

    @Test("The newer certificate is in use; the older one only while the newer one has ended and it has not")
    func newer() async throws {
        try await make("given", from: "20260101000000Z", until: "20280101000000Z")
        #expect(try inUse(at: "2027-01-01") == "given")
        try await make("agent.db-certificate", from: "20270101000000Z", until: "20270301000000Z")
        #expect(try inUse(at: "2027-02-01") == "agent.db-certificate")
        #expect(try inUse(at: "2027-04-01") == "given")
        #expect(try inUse(at: "2029-01-01") == "agent.db-certificate")
        // A clock that has not been set decides nothing.
        #expect(try inUse(at: "1970-01-02") == "agent.db-certificate")
        // A newer one that was carried to the vehicle.
        try await make("given", from: "20270201000000Z", until: "20290201000000Z")
        #expect(try inUse(at: "2027-02-15") == "given")
    }

    @Test(
        "Who may not look into the agent's folder is told of the authority in the configuration, not of another file",
        .enabled(if: getuid() != 0, "root may look into every folder"))
    func hidden() throws {
        mkdir(folder.file("state"), 0o700)
        try folder.write("authority", to: "ca.crt")
        let configuration = try ConfigurationFile.parse(
            """
            { fleet: "acme", device: "van-7", store: { path: "state/agent.db" },
              broker: { url: "mqtts://localhost", tls: { ca_file: "ca.crt" } } }
            """, folder: folder.path)
        func file() -> String? { configuration.withCertificateInUse().broker.tls.caFile }
        for name in ["agent.db-authorities-introduced", "agent.db-authorities"] {
            try folder.write("authorities", to: "state/\(name)")
        }
        #expect(file() == folder.file("state/agent.db-authorities"))
        chmod(folder.file("state"), 0)
        #expect(file() == folder.file("ca.crt"))
        chmod(folder.file("state"), 0o700)
    }

    @Test("A renewed certificate of another name, or without its key, is not used")
    func foreign() async throws {
        try await make("given", from: "20260101000000Z", until: "20280101000000Z")
        try await make("agent.db-certificate", name: "van-8", from: "20270101000000Z", until: "20290101000000Z")
        #expect(try inUse(at: "2027-02-01") == "given")
        try await make("other", from: "20270101000000Z", until: "20290101000000Z")
        let certificate = try folder.read("certificate")
        try await make("agent.db-certificate", from: "20270101000000Z", until: "20290101000000Z")
        try folder.write(certificate + (try folder.read("key")), to: "agent.db-certificate")
        #expect(try inUse(at: "2027-02-01") == "given")
        try folder.write("", to: "given")
        #expect(try inUse(at: "2027-02-01") == nil)
        try await make("agent.db-certificate", from: "20270101000000Z", until: "20290101000000Z")
        #expect(try inUse(at: "2027-02-01") == "agent.db-certificate")
    }
}
