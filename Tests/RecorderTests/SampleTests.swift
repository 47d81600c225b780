import Odograph
import OdographHarness
import OdographJSON
import OdographRecorder
import Testing

/// Checks `config/recorder.json5`, which is the manual, against the code that reads it.
@Suite("The recorder's sample configuration")
struct SampleTests {
    private static let path = Corpora.projectRoot + "/config/recorder.json5"
    private let sample: SampleConfiguration

    init() throws { sample = try SampleConfiguration(path: Self.path) }

    /// Returns the issues of a document.
    private func issues(_ document: JSONValue) -> [ConfigurationIssue] {
        do throws(ConfigurationError) {
            _ = try RecorderConfiguration(document: document, origin: "sample", paths: PathResolver(folder: nil))
            return []
        } catch {
            return error.issues
        }
    }

    @Test("The active settings of the sample equal the defaults")
    func defaults() throws {
        let least = JSONValue.object([
            "fleets": .array([.string("acme")]),
            "broker": .object(["url": .string("mqtts://broker.example:8883")]),
        ])
        let unsaid = try RecorderConfiguration(document: least, origin: "least", paths: PathResolver(folder: nil))
        #expect(try RecorderConfiguration.load(Self.path) == unsaid)
    }

    @Test("Every setting that is absent by default is valid")
    func everything() { #expect(issues(sample.document) == []) }

    /// An unknown key makes the reader list the known keys.
    @Test("The sample contains every key that the reader knows, and no other, except the forbidden ones")
    func keys() throws {
        let stranger = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
        let blocks = [[]] + sample.settings.filter(\.isBlock).map(\.path)
        #expect(blocks.count == 11)
        for block in blocks {
            let found = issues(sample.document.replacing(block + [stranger], with: .bool(true)))
            let issue = try #require(found.first { $0.path == (block + [stranger]).joined(separator: ".") })
            let list = try #require(issue.problem.split(separator: "known keys: ").last)
            let known = Set(list.split(separator: ", ").map(String.init))
                .subtracting(RecorderConfiguration.foreignBrokerKeys)
            let shown = sample.keys(in: block)
            #expect(Set(shown) == known, "under \"\(block.joined(separator: "."))\"")
            #expect(Set(shown).count == shown.count, "a key twice under \"\(block.joined(separator: "."))\"")
        }
    }

    /// A value of the wrong type makes the reader name the range or the words.
    @Test("The ranges and words in the sample's comments equal those of the reader")
    func ranges() {
        var count = 0
        for setting in sample.settings where !setting.isBlock {
            let wrong = issues(sample.document.replacing(setting.path, with: .object([:])))
            guard let problem = wrong.first(where: { $0.path == setting.name })?.problem else { continue }
            if let range = problem.firstMatch(of: #/from (-?[0-9.]+) to ([0-9.]+)/#) {
                #expect(setting.comment.contains("\(range.1) to \(range.2)"), "\(setting.name): \(problem)")
                count += 1
            }
            for word in problem.matches(of: #/"[^"]+"/#) where problem.hasPrefix("write one of ") {
                #expect(setting.comment.contains(word.0), "\(setting.name): \(problem)")
                count += 1
            }
        }
        #expect(count >= 8)
    }

    @Test("Every setting has a comment")
    func comments() {
        for setting in sample.settings where !setting.isBlock && setting.key != "key_file" {
            #expect(!setting.comment.isEmpty, "\(setting.name)")
        }
    }

    @Test("The examples of rules in the sample are valid, one of each kind, and contain every key")
    func rules() throws {
        let lines = try FileContents.text(Self.path).split(separator: "\n").map { $0.drop { $0 == " " } }
        let examples = lines.filter { $0.hasPrefix("// { name: ") }.map { $0.dropFirst(3) }
        let text = "[\(examples.joined(separator: "\n"))]"
        let rules = try JSON5Parser.value(of: Array(text.utf8))
        #expect(issues(sample.document.replacing(["rules"], with: rules)) == [])
        let comment = try #require(sample.settings.first { $0.name == "rules" }?.comment)
        for kind in RuleKind.allCases { #expect(text.contains("when: \"\(kind.rawValue)\""), "\(kind)") }
        let stranger = JSONValue.array([.object(["qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq": .bool(true)])])
        let found = issues(sample.document.replacing(["rules"], with: stranger))
        let list = try #require(found.compactMap { $0.problem.split(separator: "known keys: ").dropFirst().last }.first)
        let known = list.split(separator: ", ")
        #expect(known.count == 16, "\(known)")
        for key in known {
            #expect(text.contains("\(key): "), "no example has \(key)")
            #expect(comment.contains(" \(key): "), "the comment does not explain \(key)")
        }
    }
}
