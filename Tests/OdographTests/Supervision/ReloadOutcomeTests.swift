import Testing

@testable import Odograph
@testable import OdographOperator

@Suite("A reloaded configuration")
struct ReloadOutcomeTests {
    private static func configuration(_ keys: String) throws -> AgentConfiguration {
        try ConfigurationFile.parse("{ device: 'b', \(keys) }", folder: "/etc/odograph")
    }

    private static let least = "fleet: 'a', broker: { url: 'mqtt://localhost' }"

    private static let cases: [(more: String, sentence: String)] = [
        ("", "no change"),
        ("\n// said\n tracking: {}", "no change"),
        ("tracking: { desired_accuracy: 5 }", "in force: tracking"),
        ("log: { level: 'debug' }", "in force: log"),
        ("groups: ['x']", "needs a restart: groups"),
        ("root: 'r'", "needs a restart: root"),
        ("source: { simulator: {} }", "needs a restart: source"),
        ("control: { path: 'c' }", "needs a restart: control"),
        // The control socket is beside the database by default.
        ("store: { path: 'x/y.db' }", "needs a restart: store, control"),
        (
            "log: { level: 'error' }, tracking: { enabled: false }, root: 'r'",
            "in force: tracking, log; needs a restart: root"
        ),
    ]

    @Test("Tracking and log level apply at once, and everything else needs a restart", arguments: cases)
    func sentences(more: String, sentence: String) throws {
        let (old, new) = try (Self.configuration(Self.least), Self.configuration("\(Self.least), \(more)"))
        let outcome = ReloadOutcome(of: new, over: old)
        #expect(outcome.summary == sentence)
        #expect(outcome.logLevel == new.logLevel)
    }

    @Test("Another fleet and another broker need a restart")
    func others() throws {
        let old = try Self.configuration(Self.least)
        let new = try Self.configuration("fleet: 'c', broker: { url: 'mqtt://localhost:1' }")
        #expect(ReloadOutcome(of: new, over: old).pendingRestart == ["fleet", "broker"])
    }
}
