import Glibc
import OdographHarness
import OdographLink
import Testing

@testable import Odograph
@testable import OdographOperator

@Suite("The settings of the desk")
struct DeskSettingsTests {
    private let folder: TemporaryFolder
    private static let text = """
        { fleet: "of-profile", root: "r", broker: { url: "mqtts://profile.example:8884", username: "ann",
          password_file: "ann.password", allow_insecure: true,
          tls: { ca_folder: "certs", certificate_file: "ann.crt", key_file: "ann.key" } } }
        """

    init() throws {
        folder = try TemporaryFolder()
        mkdir(folder.file("odograph"), 0o700)
        try folder.write(Self.text, to: "odograph/desk.json5")
    }

    private func settings(
        _ options: DeskSettings.Options = .init(), _ variables: [String: String] = [:]
    ) throws -> DeskSettings {
        var all = ["XDG_CONFIG_HOME": folder.path]
        all.merge(variables) { $1 }
        let environment = all
        return try DeskSettings(options) { environment[$0] }
    }

    @Test("The profile is read from the folder of configurations, with paths beside it")
    func profile() throws {
        let settings = try settings()
        #expect(settings.fleet == "of-profile" && settings.root == "r")
        #expect(settings.broker.url.host == "profile.example" && settings.broker.username == "ann")
        #expect(settings.broker.passwordFile == folder.file("odograph/ann.password"))
        #expect(settings.broker.tls.certificateFile == folder.file("odograph/ann.crt"))
        #expect(settings.broker.tls.caFolder == folder.file("odograph/certs"))
        let folders = DeskFolders { ["HOME": "/h", "XDG_CONFIG_HOME": "relative", "XDG_STATE_HOME": ""][$0] }
        #expect(folders.profile == "/h/.config/odograph/desk.json5")
        #expect(folders.state == "/h/.local/state/odograph/desk")
        #expect(DeskFolders { _ in nil }.profile == nil)
    }

    @Test("The home folder is known also without the variable")
    func home() {
        #expect(DeskSettings.environment("HOME")?.hasPrefix("/") == true)
        #expect(DeskSettings.environment("ODOGRAPH_NO_SUCH_VARIABLE") == nil)
    }

    @Test("An option overrides the environment, and the environment overrides the profile")
    func precedence() throws {
        let variables = [
            "ODOGRAPH_BROKER": "mqtts://variable.example", "ODOGRAPH_FLEET": "of-variable",
            "ODOGRAPH_ROOT": "rv", "ODOGRAPH_USERNAME": "bob", "ODOGRAPH_PASSWORD_FILE": "/v/password",
            "ODOGRAPH_CA_FILE": "/v/ca", "ODOGRAPH_CERTIFICATE_FILE": "/v/crt", "ODOGRAPH_KEY_FILE": "/v/key",
        ]
        let second = try settings(.init(), variables)
        #expect(second.fleet == "of-variable" && second.root == "rv")
        #expect(second.broker.url.host == "variable.example" && second.broker.username == "bob")
        #expect(second.broker.passwordFile == "/v/password")
        #expect(second.broker.tls.caFile == "/v/ca" && second.broker.tls.caFolder == nil)
        #expect(second.broker.tls.certificateFile == "/v/crt" && second.broker.tls.keyFile == "/v/key")
        var options = DeskSettings.Options()
        (options.broker, options.fleet, options.root) = ("mqtts://option.example", "of-option", "ro")
        (options.username, options.passwordFile, options.caFile) = ("eve", "/o/password", "/o/ca")
        (options.certificateFile, options.keyFile) = ("/o/crt", "/o/key")
        let first = try settings(options, variables)
        #expect(first.fleet == "of-option" && first.root == "ro" && first.broker.url.host == "option.example")
        #expect(first.broker.username == "eve" && first.broker.passwordFile == "/o/password")
        #expect(first.broker.tls.caFile == "/o/ca" && first.broker.tls.keyFile == "/o/key")
        // The password of the environment overrides the file of the profile.
        #expect(try settings(.init(), ["ODOGRAPH_BROKER_PASSWORD": "x"]).broker.passwordFile == nil)
        // A profile of an option overrides the one of the environment and the usual one.
        let other = try folder.write("{ fleet: \"other\" }", to: "other.json5")
        let named = try settings(.init(), ["ODOGRAPH_DESK": other, "ODOGRAPH_BROKER": "mqtts://b"])
        #expect(named.fleet == "other" && named.broker.username == nil)
        options.profile = folder.file("odograph/desk.json5")
        options.fleet = nil
        #expect(try settings(options, ["ODOGRAPH_DESK": other]).fleet == "of-profile")
    }

    @Test("The profile's permission to send without encryption is for its own broker")
    func insecure() throws {
        #expect(try settings().broker.allowsInsecure)
        #expect(try !settings(.init(), ["ODOGRAPH_BROKER": "mqtt://other.example"]).broker.allowsInsecure)
    }

    @Test("A missing or wrong value is reported with its place and its correction")
    func mistakes() throws {
        func failure(_ options: DeskSettings.Options, _ variables: [String: String]) -> String {
            do {
                _ = try settings(options, variables)
                return ""
            } catch {
                return ExitError(error).text
            }
        }
        let nothing = ["XDG_CONFIG_HOME": "/nonexistent"]
        let fleet = failure(.init(), nothing)
        #expect(fleet.contains("no fleet is given; give --fleet NAME, set ODOGRAPH_FLEET"), "\(fleet)")
        #expect(fleet.contains("/nonexistent/odograph/desk.json5"), "\(fleet)")
        let broker = failure(.init(), nothing.merging(["ODOGRAPH_FLEET": "acme"]) { $1 })
        #expect(broker.contains("no broker is given; give --broker URL, set ODOGRAPH_BROKER"), "\(broker)")
        #expect(failure(.init(), ["ODOGRAPH_BROKER": "x"]).hasPrefix("ODOGRAPH_BROKER: write the address"))
        #expect(failure(.init(), ["ODOGRAPH_KEY_FILE": "x"]).contains("give both"))
        var options = DeskSettings.Options()
        options.profile = folder.file("none.json5")
        #expect(failure(options, [:]) == "\(folder.file("none.json5")): the file does not exist; check the path")
        try folder.write("{ fleet: \"acme\", borker: {} }", to: "none.json5")
        #expect(failure(options, [:]).contains("none.json5: borker: unknown key; did you mean \"broker\"?"))
    }
}
