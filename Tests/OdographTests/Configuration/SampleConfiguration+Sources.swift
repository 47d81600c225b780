import OdographHarness
import OdographJSON

/// The agent's sample, of whose sources a document may contain one.
extension SampleConfiguration {
    /// The path of the agent's sample.
    static let agentPath = Corpora.projectRoot + "/config/agent.json5"
    /// The sources.
    static let sources = ["gpsd", "replay", "simulator"]

    /// Reads the agent's sample.
    init() throws { try self.init(path: Self.agentPath) }

    /// Returns the document with one source and all other settings.
    func document(source: String) -> JSONValue {
        let others = Self.sources.filter { $0 != source }.map { ($0, JSONValue.null) }
        return document.applyingMergePatch(.object(["source": .object(Dictionary(uniqueKeysWithValues: others))]))
    }

    /// Returns the source that a document must contain so that a setting is read.
    static func source(for path: [String]) -> String {
        path.count > 1 && path[0] == "source" ? path[1] : "gpsd"
    }
}
