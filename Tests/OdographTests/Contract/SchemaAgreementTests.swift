import Harness
import OdographJSON
import Testing
import Wire

@testable import Odograph

/// What the schemas of `config/schemas` refuse is refused by the agent, and what they let pass it takes.
@Suite("The schemas and the readers", .serialized)
struct SchemaAgreementTests {
    /// A part of the local file by its schema: where it stands, and what must be said or is worth a try in it.
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
                base: #"{"url":"mqtt://broker.example","allow_insecure":true}"#),
        ]
    }

    private static let least = #"{"fleet":"acme","device":"van-7","broker":{"url":"mqtts://broker.example:8883"}}"#
    /// What no schema can say: how two keys compare, what a crontab expression means, which zones there are, and how
    /// many bytes a text has.
    private static let beyondSchemas = [
        "tracking.sampling.maximum_interval", "tracking.schedule", "tracking.time_zone",
    ]

    /// Where two judgements on the same documents differ, in words.
    private func disagreements(
        schema: String, base: String, judge: (JSONValue) -> [ConfigurationIssue]
    ) throws -> [String] {
        let cases = try ContractValidator.running().cases(schema: schema, base: base)
        #expect(cases.contains { $0.errors.isEmpty } && cases.contains { !$0.errors.isEmpty }, "\(cases.count) cases")
        return try cases.compactMap { candidate in
            let issues = judge(try JSON5Parser.value(of: Array(candidate.payload.utf8)))
            guard candidate.errors.isEmpty != issues.isEmpty else { return nil }
            let isBeyond = candidate.errors.isEmpty && issues.allSatisfy { Self.beyondSchemas.contains($0.path) }
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

    @Test("The local file: every key with right and with wrong values", arguments: Part.all)
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

    @Test("A remote document: every key with right and with wrong values")
    func remoteDocument() throws {
        let differences = try disagreements(schema: "configuration-document", base: "{}") { document in
            issues { () throws(ConfigurationError) in
                let bytes = (try? JSONCoder.bytes(of: document)) ?? []
                let remote = try ConfigurationDocument(bytes, hash: "", origin: "")
                try ConfigurationLevels.validate(remote, origin: "")
            }
        }
        #expect(differences == [], "\(differences.joined(separator: "\n"))")
    }

    @Test("The sample fits, with every setting said", arguments: SampleConfiguration.sources)
    func sample(source: String) throws {
        let document = try SampleConfiguration().document(source: source)
        // An object's null is what the reader takes for nothing; a merge has taken it out.
        let errors = try ContractValidator.running().errors(schema: "agent", payload: JSONCoder.string(of: document))
        #expect(errors == [])
    }

    @Test("The schema's defaults are those of the sample, which are the reader's")
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

    @Test("The schema lists the problems that an agent tells of, and no others")
    func problems() throws {
        let path = Corpora.projectRoot + "/config/schemas/definitions.schema.json"
        let schema = try JSONCoder.decode(JSONValue.self, from: FileReader.read(path, atMost: 1 << 20).get())
        let codes = schema.value(at: ["definitions", "problem", "properties", "code", "examples"])
        #expect(codes == .array(ProblemCode.allCases.map { .string($0.rawValue) }))
    }
}

extension JSONValue {
    fileprivate func value(at path: some Collection<String>) -> JSONValue? {
        guard let key = path.first else { return self }
        guard case .object(let members) = self else { return nil }
        return members[key]?.value(at: path.dropFirst())
    }
}
