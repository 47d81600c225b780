import OdographHarness
import OdographJSON
import OdographPositioning
import Testing
import OdographWire

@testable import Odograph

/// Checks `config/agent.json5`, which is the manual, against the code that reads it.
@Suite("The sample configuration")
struct SampleConfigurationTests {
    private let sample: SampleConfiguration

    init() throws { sample = try SampleConfiguration() }

    private func read(_ document: JSONValue) throws -> AgentConfiguration {
        try AgentConfiguration(document: document, origin: "sample", paths: PathResolver(folder: "/etc/odograph"))
    }

    /// Returns the issues of a document.
    private func issues(_ document: JSONValue) -> [ConfigurationIssue] {
        do {
            _ = try AgentConfiguration(document: document, origin: "sample", paths: PathResolver(folder: nil))
            return []
        } catch {
            return error.issues
        }
    }

    /// Returns the smallest valid document, with a source if one is given.
    private func least(source: JSONValue = .null) -> JSONValue {
        .object([
            "fleet": .string("acme"), "device": .string("van-7"), "source": source,
            "broker": .object(["url": .string("mqtts://broker.example:8883")]),
        ])
    }

    @Test("Operations says how to connect each source of signals", arguments: VehicleConfiguration.SourceKey.allCases)
    func operations(key: VehicleConfiguration.SourceKey) throws {
        let path = Corpora.projectRoot + "/Sources/Odograph/Odograph.docc/Operations.md"
        let article = String(decoding: try FileContents.bytes(path), as: UTF8.self)
        #expect(article.contains("`vehicle.\(key.rawValue)`"))
    }

    @Test("The active settings of the sample equal the defaults")
    func defaults() throws {
        let said = try ConfigurationFile.load(SampleConfiguration.agentPath)
        let unsaid = try read(least())
        #expect(said.address == unsaid.address)
        #expect(said.groups == unsaid.groups)
        #expect(said.broker == unsaid.broker)
        #expect(said.source == unsaid.source)
        #expect(said.store == unsaid.store)
        #expect(said.controlPath == unsaid.controlPath)
        #expect(said.logLevel == unsaid.logLevel)
        #expect(said.tracking == unsaid.tracking)
        #expect(said.isPrivacyLocked == unsaid.isPrivacyLocked)
    }

    @Test("Every commented-out setting is valid", arguments: SampleConfiguration.sources)
    func everything(source: String) {
        #expect(issues(sample.document(source: source)) == [])
    }

    @Test("The block of a replay shows its defaults")
    func replay() throws {
        let file = JSONValue.object(["replay": .object(["file": .string("drive.gpsd.jsonl")])])
        var said = try read(sample.document(source: "replay")).source
        if case .replay(var settings) = said {
            settings.device = nil
            said = .replay(settings)
        }
        #expect(try said == read(least(source: file)).source)
    }

    @Test("The block of the simulator shows its defaults")
    func simulator() throws {
        var said = try read(sample.document(source: "simulator")).source
        if case .simulator(var settings) = said {
            settings.durationSeconds = nil
            settings.harshStopInterval = nil
            said = .simulator(settings)
        }
        #expect(try said == read(least(source: .object(["simulator": .object([:])]))).source)
    }

    /// Returns the sample with the source that has a key.
    private func document(with path: [String]) -> JSONValue {
        sample.document(source: SampleConfiguration.source(for: path))
    }

    /// Returns the problem of a document at a path.
    private func problem(_ document: JSONValue, path: String) -> String? {
        issues(document).first { $0.path == path }?.problem
    }

    @Test("The sample contains every key that the reader knows, and no other")
    func keys() { #expect(sample.wrongBlocks(document: document, reader: problem) == []) }

    @Test("The ranges and words in the sample's comments equal those of the reader")
    func ranges() {
        let (compared, wrong) = sample.wrongComments(document: document, reader: problem)
        #expect(wrong == [])
        #expect(compared >= 60)
    }

    @Test("Every setting except a plain address has a comment")
    func comments() {
        let unexplained = sample.unexplained.filter { name in
            name != "source.gpsd.host" && ![".certificate_file", ".key_file"].contains { name.hasSuffix($0) }
        }
        #expect(unexplained == [])
    }
}
