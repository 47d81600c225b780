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
            said = .simulator(settings)
        }
        #expect(try said == read(least(source: .object(["simulator": .object([:])]))).source)
    }

    /// An unknown key makes the reader list the known keys.
    @Test("The sample contains every key that the reader knows, and no other")
    func keys() throws {
        let stranger = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
        let blocks = [[]] + sample.settings.filter(\.isBlock).map(\.path)
        for block in blocks {
            let document = sample.document(source: SampleConfiguration.source(for: block))
            let found = issues(document.replacing(block + [stranger], with: .bool(true)))
            let issue = try #require(found.first { $0.path == (block + [stranger]).joined(separator: ".") })
            let list = try #require(issue.problem.split(separator: "known keys: ").last)
            let known = Set(list.split(separator: ", ").map(String.init))
            let shown = sample.keys(in: block)
            #expect(Set(shown) == known, "under \"\(block.joined(separator: "."))\"")
            #expect(Set(shown).count == shown.count, "a key twice under \"\(block.joined(separator: "."))\"")
        }
    }

    /// A value of the wrong type makes the reader name the range or the words.
    @Test("The ranges and words in the sample's comments equal those of the reader")
    func ranges() {
        for setting in sample.settings where !setting.isBlock {
            let document = sample.document(source: SampleConfiguration.source(for: setting.path))
            let wrong = issues(document.replacing(setting.path, with: .array([])))
            guard let problem = wrong.first(where: { $0.path == setting.name })?.problem else { continue }
            if let range = problem.firstMatch(of: #/from (-?[0-9.]+) to ([0-9.]+)/#), range.2.count < 16 {
                #expect(setting.comment.contains("\(range.1) to \(range.2)"), "\(setting.name): \(problem)")
            }
            if problem.hasPrefix("write one of ") {
                for word in problem.matches(of: #/"[^"]+"/#) {
                    #expect(setting.comment.contains(word.0), "\(setting.name): \(problem)")
                }
            }
        }
    }

    @Test("Every setting except a plain address has a comment")
    func comments() {
        for setting in sample.settings where !setting.isBlock && setting.name != "source.gpsd.host" {
            let isExplained = !setting.comment.isEmpty || ["certificate_file", "key_file"].contains(setting.key)
            #expect(isExplained, "\(setting.name)")
        }
    }
}
