import OdographHarness
import OdographJSON
import Testing

@testable import Odograph
@testable import OdographOperator

/// Checks `config/desk.json5`, which is the manual, against the code that reads it.
@Suite("The desk's sample profile")
struct DeskSampleTests {
    private static let path = Corpora.projectRoot + "/config/desk.json5"
    private let sample: SampleConfiguration

    init() throws { sample = try SampleConfiguration(path: Self.path) }

    /// Returns the issues of a document.
    private func issues(_ document: JSONValue) -> [ConfigurationIssue] {
        do throws(ConfigurationError) {
            _ = try DeskProfile(document: document, origin: "sample", paths: PathResolver(folder: nil))
            return []
        } catch {
            return error.issues
        }
    }

    @Test("The active settings of the sample equal the defaults")
    func defaults() throws {
        let least = JSONValue.object([
            "fleet": .string("acme"), "root": .string("fleet"),
            "broker": .object(["url": .string("mqtts://broker.example:8884")]),
        ])
        let unsaid = try DeskProfile(document: least, origin: "least", paths: PathResolver(folder: nil))
        #expect(try DeskProfile.load(Self.path) == unsaid)
    }

    @Test("Every setting that is absent by default is valid, and an empty profile is valid")
    func everything() {
        #expect(issues(sample.document) == [])
        #expect(issues(.object([:])) == [])
    }

    /// An unknown key makes the reader list the known keys.
    @Test("The sample contains every key that the reader knows, and no other, except the forbidden ones")
    func keys() throws {
        let stranger = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
        let blocks = [[]] + sample.settings.filter(\.isBlock).map(\.path)
        #expect(blocks.count == 4)
        for block in blocks {
            let found = issues(sample.document.replacing(block + [stranger], with: .bool(true)))
            let issue = try #require(found.first { $0.path == (block + [stranger]).joined(separator: ".") })
            let list = try #require(issue.problem.split(separator: "known keys: ").last)
            let known = Set(list.split(separator: ", ").map(String.init)).subtracting(DeskProfile.foreignBrokerKeys)
            #expect(Set(sample.keys(in: block)) == known, "under \"\(block.joined(separator: "."))\"")
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
        #expect(count >= 6)
    }

    @Test("Every setting has a comment")
    func comments() {
        for setting in sample.settings where !setting.isBlock && setting.key != "key_file" {
            #expect(!setting.comment.isEmpty, "\(setting.name)")
        }
    }

    @Test(
        "A mistake is reported with its place",
        arguments: [
            ("{ fleet: \"a/b\" }", "fleet"), ("{ root: \"+\" }", "root"), ("{ fleets: [\"a\"] }", "fleets"),
            ("{ broker: {} }", "broker.url"), ("{ broker: { url: \"mqtt://broker.example\" } }", "broker.url"),
            ("{ broker: { url: \"mqtts://b\", password: \"x\" } }", "broker.password"),
            ("{ broker: { url: \"mqtts://b\", client_id: \"x\" } }", "broker.client_id"),
            ("{ broker: { url: \"mqtts://b\", tls: { key_file: \"x\" } } }", "broker.tls.certificate_file"),
        ])
    func mistakes(text: String, path: String) throws {
        #expect(issues(try JSON5Parser.value(of: Array(text.utf8))).map(\.path) == [path])
    }
}
