import Harness
import OdographJSON
import Positioning
import Testing
import Wire

@testable import Odograph

/// `config/agent.json5` is the manual, so it is held against the code that reads it.
@Suite("The sample configuration")
struct SampleConfigurationTests {
    private let sample: SampleConfiguration

    init() throws { sample = try SampleConfiguration() }

    private func read(_ document: JSONValue) throws -> AgentConfiguration {
        try AgentConfiguration(document: document, origin: "sample", paths: PathResolver(folder: "/etc/odograph"))
    }

    /// What is wrong with a document.
    private func issues(_ document: JSONValue) -> [ConfigurationIssue] {
        do {
            _ = try AgentConfiguration(document: document, origin: "sample", paths: PathResolver(folder: nil))
            return []
        } catch {
            return error.issues
        }
    }

    /// The least that must be said, with a source if one is named.
    private func least(source: JSONValue = .null) -> JSONValue {
        .object([
            "fleet": .string("acme"), "device": .string("van-7"), "source": source,
            "broker": .object(["url": .string("mqtts://broker.example:8883")]),
        ])
    }

    @Test("What it says is what holds where nothing is said")
    func defaults() throws {
        let said = try ConfigurationFile.load(SampleConfiguration.path)
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

    @Test("Every setting that is off in it can be said", arguments: SampleConfiguration.sources)
    func everything(source: String) {
        #expect(issues(sample.document(source: source)) == [])
    }

    @Test("A replay's block shows its defaults")
    func replay() throws {
        let file = JSONValue.object(["replay": .object(["file": .string("drive.gpsd.jsonl")])])
        var said = try read(sample.document(source: "replay")).source
        if case .replay(var settings) = said {
            settings.device = nil
            said = .replay(settings)
        }
        #expect(try said == read(least(source: file)).source)
    }

    @Test("The simulator's block shows its defaults")
    func simulator() throws {
        var said = try read(sample.document(source: "simulator")).source
        if case .simulator(var settings) = said {
            settings.durationSeconds = nil
            said = .simulator(settings)
        }
        #expect(try said == read(least(source: .object(["simulator": .object([:])]))).source)
    }

    /// A key that is no key makes the reader list those that are.
    @Test("It has every key that is read, and no other")
    func keys() throws {
        let stranger = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
        let blocks = [[]] + sample.settings.filter(\.isBlock).map(\.path)
        for block in blocks {
            let document = sample.document(source: SampleConfiguration.source(for: block))
            let found = issues(document.replacing(block + [stranger], with: .bool(true)))
            let issue = try #require(found.first { $0.path == (block + [stranger]).joined(separator: ".") })
            let list = try #require(issue.problem.split(separator: "known here: ").last)
            let known = Set(list.split(separator: ", ").map(String.init))
            let shown = sample.settings.filter { $0.path.dropLast() == block[...] }.map(\.key)
            #expect(Set(shown) == known, "under \"\(block.joined(separator: "."))\"")
            #expect(Set(shown).count == shown.count, "a key twice under \"\(block.joined(separator: "."))\"")
        }
    }

    /// A value of the wrong type makes the reader say the range, or the words.
    @Test("What it says about ranges and words is what the reader holds to")
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

    @Test("Every setting but a plain address says what it is for")
    func comments() {
        for setting in sample.settings where !setting.isBlock && setting.name != "source.gpsd.host" {
            let isExplained = !setting.comment.isEmpty || ["certificate_file", "key_file"].contains(setting.key)
            #expect(isExplained, "\(setting.name)")
        }
    }
}
