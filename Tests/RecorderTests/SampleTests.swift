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

    /// Returns the problem of a document at a path.
    private func problem(_ document: JSONValue, path: String) -> String? {
        issues(document).first { $0.path == path }?.problem
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

    @Test("The sample contains every key that the reader knows, and no other, except the forbidden ones")
    func keys() {
        #expect(sample.blocks.count == 13)
        #expect(
            sample.wrongBlocks(
                except: RecorderConfiguration.foreignBrokerKeys, document: { _ in sample.document }, reader: problem
            ) == [])
    }

    @Test("The ranges and words in the sample's comments equal those of the reader")
    func ranges() {
        let (compared, wrong) = sample.wrongComments(document: { _ in sample.document }, reader: problem)
        #expect(wrong == [])
        #expect(compared >= 8)
    }

    @Test("Every setting has a comment")
    func comments() { #expect(sample.unexplained.filter { !$0.hasSuffix(".key_file") } == []) }

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
        #expect(known.count == 25, "\(known)")
        for key in known {
            #expect(text.contains("\(key): "), "no example has \(key)")
            #expect(comment.contains(" \(key): "), "the comment does not explain \(key)")
        }
    }
}
