import Glibc
import OdographHarness
import OdographLink
import OdographSettings
import Testing

@testable import OdographTerminal

@Suite("The doctor's findings about credentials")
struct CredentialsCheckTests {
    private static func broker() throws -> BrokerConfiguration {
        var broker = BrokerConfiguration(url: try BrokerURL("mqtts://localhost"))
        broker.username = "a"
        return broker
    }

    @Test(
        "A folder of authorities needs a certificate with its hash as the name",
        arguments: [
            ("missing", .fail, "does not exist"), ("empty", .fail, "no file in it"), ("plain", .fail, "no file in it"),
            ("hashed", .ok, "trusted authorities"),
        ] as [(String, Finding.Level, String)])
    func authoritiesFolder(content: String, level: Finding.Level, text: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("authorities")
        if content != "missing" { mkdir(path, 0o700) }
        if content == "plain" { try folder.write("certificate", to: "authorities/authority.pem") }
        if content == "hashed" { try folder.write("certificate", to: "authorities/4f06f81d.0") }
        var broker = try Self.broker()
        broker.tls.caFolder = path
        let finding = CredentialsCheck(broker: broker).findings().first { $0.text.contains(path) }
        #expect(finding?.level == level && finding?.line.contains(text) == true, "\(String(describing: finding))")
        if level == .fail, content != "missing" { #expect(finding?.advice == "run openssl rehash \(path)") }
    }

    @Test("The file of a password that the service manager hands over is named")
    func passwordOfService() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("hunter2\n", to: "odograph_broker_password")
        var broker = try Self.broker()
        broker.credentialsFolder = folder.path
        func first() -> String? { CredentialsCheck(broker: broker).findings().first?.text }
        #expect(first() == "user a, password from \(path)")
        broker.username = nil
        #expect(first() == "there is a password from \(path), but no user name")
    }

    @Test("Of a service that does not run, the secrets are not missing: it must be started")
    func stoppedService() throws {
        let credentials = "/run/credentials/odograph-of-a-test.service"
        var broker = try Self.broker()
        broker.credentialsFolder = credentials
        broker.tls.keyFile = credentials + "/odograph_van-7.key"
        let findings = CredentialsCheck(broker: broker).findings()
        #expect(findings.count == 2)
        for finding in findings {
            #expect(finding.level == .warn && finding.advice == "start the service", "\(finding)")
            #expect(finding.text.hasSuffix("systemd hands the secrets over while the service runs"), "\(finding)")
        }
        broker.credentialsFolder = ServiceCredentials.none
        #expect(CredentialsCheck(broker: broker).findings().contains { $0.text == "user a has no password" })
    }
}
