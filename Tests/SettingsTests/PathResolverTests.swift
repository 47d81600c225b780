import Glibc
import OdographHarness
import OdographLink
import Testing

@testable import OdographSettings

@Suite("Paths of a configuration file")
struct PathResolverTests {
    @Test("A path that names a credential resolves to the service's credentials folder")
    func credentials() {
        let paths = PathResolver(folder: "/etc/odograph", credentials: "/run/credentials/odograph.service")
        #expect(
            paths.resolve("credential:odograph_van-7.key") == "/run/credentials/odograph.service/odograph_van-7.key")
        #expect(paths.resolve("ca.crt") == "/etc/odograph/ca.crt")
        #expect(paths.resolve("/x/ca.crt") == "/x/ca.crt")
    }

    @Test("The credentials of a service belong to its installed configuration only")
    func services() throws {
        let folder = try TemporaryFolder()
        let paths = try ["installed.json5", "other.json5"].map { try folder.write("{}", to: $0) }
        let link = folder.file("link.json5")
        #expect(symlink(paths[0], link) == 0)
        let installed = [paths[0]: "odograph.service"]
        func credentials(_ file: String?, own: String? = nil) -> String {
            ServiceCredentials.folder(for: file, installed: installed, own: own)
        }
        for file in [paths[0], link, folder.file("./installed.json5")] {
            #expect(credentials(file) == "/run/credentials/odograph.service")
        }
        #expect(ServiceCredentials.unit(of: link, installed: installed) == "odograph.service")
        #expect(ServiceCredentials.unit(of: paths[1], installed: installed) == nil)
        for file in [paths[1], folder.file("absent.json5"), "-", nil] {
            #expect(credentials(file) == ServiceCredentials.none)
            // A service has its own, whatever the file is.
            #expect(credentials(file, own: "/run/credentials/x.service") == "/run/credentials/x.service")
        }
    }

    @Test("A configuration takes no password from the credentials of another one")
    func password() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.file("mine"), 0o700) == 0)
        try folder.write("secret\n", to: "mine/odograph_broker_password")
        var broker = BrokerConfiguration(url: try BrokerURL("mqtt://127.0.0.1"))
        broker.credentialsFolder = folder.file("mine")
        #expect(try BrokerCredentials.password(for: broker) != nil)
        broker.credentialsFolder = folder.file("other")
        #expect(try BrokerCredentials.password(for: broker) == nil)
    }

    @Test(
        "A credential in the configuration of no service is a mistake that is said with its name, not with a folder",
        arguments: ["password_file", "ca_file", "ca_folder", "certificate_file", "key_file"])
    func noService(key: String) throws {
        let path = PathResolver(file: "mine.json5").resolve("credential:a")
        var broker = BrokerConfiguration(url: try BrokerURL("mqtts://127.0.0.1"))
        switch key {
        case "password_file": broker.passwordFile = path
        case "ca_file": broker.tls.caFile = path
        case "ca_folder": broker.tls.caFolder = path
        case "certificate_file": broker.tls.certificateFile = path
        default: broker.tls.keyFile = path
        }
        let error = #expect(throws: ConfigurationError.self) { try BrokerCredentials.checkPaths(of: broker) }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("credential:a: broker.") && text.contains("\(key): only a service has"), "\(text)")
        // The search for the password reads no other file.
        if key != "password_file" { #expect(throws: Never.self) { try BrokerCredentials.password(for: broker) } }
        #expect(FileReader.name(of: path) == "credential:a" && FileReader.name(of: "/run/a") == "/run/a")
    }
}
