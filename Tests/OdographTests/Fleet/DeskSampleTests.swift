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

    /// Returns the problem of a document at a path.
    private func problem(_ document: JSONValue, path: String) -> String? {
        issues(document).first { $0.path == path }?.problem
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

    @Test("The sample contains every key that the reader knows, and no other, except the forbidden ones")
    func keys() {
        #expect(sample.blocks.count == 4)
        #expect(
            sample.wrongBlocks(
                except: DeskProfile.foreignBrokerKeys, document: { _ in sample.document }, reader: problem) == [])
    }

    @Test("The ranges and words in the sample's comments equal those of the reader")
    func ranges() {
        let (compared, wrong) = sample.wrongComments(document: { _ in sample.document }, reader: problem)
        #expect(wrong == [])
        #expect(compared >= 6)
    }

    @Test("Every setting has a comment")
    func comments() { #expect(sample.unexplained.filter { !$0.hasSuffix(".key_file") } == []) }

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
