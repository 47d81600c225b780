import Glibc
import OdographHarness
import Testing

@testable import Odograph
@testable import OdographOperator

@Suite("The doctor's findings about credentials")
struct CredentialsCheckTests {
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
        let configuration = try ConfigurationFile.parse(
            #"""
            { fleet: "acme", device: "van-7", broker: { url: "mqtts://localhost", username: "a",
              tls: { ca_folder: "authorities" } } }
            """#, folder: folder.path)
        let finding = CredentialsCheck(broker: configuration.broker).findings().first { $0.text.contains(path) }
        #expect(finding?.level == level && finding?.line.contains(text) == true, "\(String(describing: finding))")
        if level == .fail, content != "missing" { #expect(finding?.advice == "run openssl rehash \(path)") }
    }

    @Test("The file of a password that the service manager hands over is named")
    func passwordOfService() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("hunter2\n", to: "odograph_broker_password")
        let configuration = try ConfigurationFile.parse(
            #"{ fleet: "acme", device: "van-7", broker: { url: "mqtts://localhost", username: "a" } }"#,
            folder: folder.path)
        var broker = configuration.broker
        broker.credentialsFolder = folder.path
        func first() -> String? { CredentialsCheck(broker: broker).findings().first?.text }
        #expect(first() == "user a, password from \(path)")
        broker.username = nil
        #expect(first() == "there is a password from \(path), but no user name")
    }
}
