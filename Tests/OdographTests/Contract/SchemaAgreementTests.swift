import OdographHarness
import OdographJSON
import Testing
import OdographWire

@testable import Odograph

/// Checks that the agent refuses a document exactly if a schema of `config/schemas` refuses it.
@Suite("The schemas and the readers", .serialized)
struct SchemaAgreementTests {
    /// A part of the local file: its schema, its path in the file, and a document to vary.
    struct Part: Sendable, CustomTestStringConvertible {
        var schema: String
        var place: [String]
        var base: String

        var testDescription: String { "\(schema) \(base)" }

        static let all = [
            Part(schema: "agent", place: [], base: least),
            Part(schema: "agent#/definitions/source", place: ["source"], base: #"{"replay":{"file":"drive.gpx"}}"#),
            Part(
                schema: "agent#/definitions/broker", place: ["broker"],
                base: #"{"url":"mqtts://broker.example","tls":{"certificate_file":"a","key_file":"b"}}"#),
            Part(
                schema: "agent#/definitions/broker", place: ["broker"],
                base: #"{"url":["mqtt://broker.example","mqtts://b.example:443"],"allow_insecure":true}"#),
        ]
    }

    private static let least = #"{"fleet":"acme","device":"van-7","broker":{"url":"mqtts://broker.example:8883"}}"#
    /// Settings with rules that no schema can express: how two keys compare, the meaning of a crontab expression, the
    /// known time zones, and the number of bytes of a text.
    private static let beyondSchemas = [
        "tracking.sampling.maximum_interval", "tracking.schedule", "tracking.time_zone",
    ]

    /// Returns a description of each document on which the schema and the reader disagree.
    private func disagreements(
        schema: String, base: String, judge: (JSONValue) -> [ConfigurationIssue]
    ) throws -> [String] {
        let cases = try ContractValidator.running().cases(schema: schema, base: base)
        #expect(cases.contains { $0.errors.isEmpty } && cases.contains { !$0.errors.isEmpty }, "\(cases.count) cases")
        return try cases.compactMap { candidate in
            let issues = judge(try JSON5Parser.value(of: Array(candidate.payload.utf8)))
            guard candidate.errors.isEmpty != issues.isEmpty else { return nil }
            let isBeyond =
                candidate.errors.isEmpty
                && issues.allSatisfy { issue in
                    Self.beyondSchemas.contains { issue.path == $0 || issue.path.hasPrefix($0 + "[") }
                }
            return isBeyond ? nil : "\(candidate.payload)\n  schema: \(candidate.errors)\n  agent: \(issues)"
        }
    }

    private func issues(_ read: () throws(ConfigurationError) -> Void) -> [ConfigurationIssue] {
        do {
            try read()
            return []
        } catch {
            return error.issues
        }
    }

    @Test("Schema and reader agree on right and wrong values of every key of the local file", arguments: Part.all)
    func localFile(part: Part) throws {
        let least = try JSON5Parser.value(of: Array(Self.least.utf8))
        let differences = try disagreements(schema: part.schema, base: part.base) { document in
            issues { () throws(ConfigurationError) in
                _ = try AgentConfiguration(
                    document: least.replacing(part.place, with: document), origin: "", paths: PathResolver(folder: nil))
            }
        }
        #expect(differences == [], "\(differences.joined(separator: "\n"))")
    }

    @Test("Schema and reader agree on right and wrong values of every key of a remote document")
    func remoteDocument() throws {
        let differences = try disagreements(schema: "configuration-document", base: "{}") { document in
            issues { () throws(ConfigurationError) in
                let bytes = (try? JSONCoder.bytes(of: document)) ?? []
                let remote = try ConfigurationDocument(bytes, hash: "", level: .device, origin: "")
                try ConfigurationLevels.validate(remote, origin: "")
            }
        }
        #expect(differences == [], "\(differences.joined(separator: "\n"))")
    }

    @Test("The schema accepts the sample with every setting", arguments: SampleConfiguration.sources)
    func sample(source: String) throws {
        let document = try SampleConfiguration().document(source: source)
        // The reader treats null in an object as absent. A merge has removed the nulls.
        let errors = try ContractValidator.running().errors(schema: "agent", payload: JSONCoder.string(of: document))
        #expect(errors == [])
    }

    @Test("The schema's defaults equal the sample's defaults, which are the reader's")
    func defaults() throws {
        let sample = try SampleConfiguration()
        let defaults = try ContractValidator.running().defaults(schema: "agent")
        let off = ["tracking.schedule", "tracking.time_zone"]
        for setting in sample.settings where !setting.isBlock && !off.contains(setting.name) {
            guard let text = defaults[setting.name] else { continue }
            let said = try #require(sample.document.value(at: setting.path))
            #expect(try JSON5Parser.value(of: Array(text.utf8)) == said, "\(setting.name)")
        }
        #expect(defaults.count > 40)
    }

    @Test("The schema lists exactly the problem codes of the agent")
    func problems() throws {
        let path = Corpora.projectRoot + "/config/schemas/definitions.schema.json"
        let schema = try JSONCoder.decode(JSONValue.self, from: FileReader.read(path, atMost: 1 << 20).get())
        let codes = schema.value(at: ["definitions", "problem", "properties", "code", "examples"])
        #expect(codes == .array(Problem.Code.knownValues.map { .string($0.rawValue) }))
    }
}

extension JSONValue {
    fileprivate func value(at path: some Collection<String>) -> JSONValue? {
        guard let key = path.first else { return self }
        guard case .object(let members) = self else { return nil }
        return members[key]?.value(at: path.dropFirst())
    }
}
