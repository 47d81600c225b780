import FoundationEssentials
import Harness
import Testing
import Wire

/// The articles of the documentation name what the code and the contract have.
@Suite("The articles")
struct ArticleTests {
    /// An article as a text.
    private static func article(_ name: String) throws -> String {
        try ProjectTree.File(path: "Sources/Odograph/Odograph.docc/\(name).md").text()
    }

    /// The words of an article that it sets in code font: whole, and the parts of paths as `coords.latitude`.
    private static func codeWords(of article: String) -> Set<String> {
        var words: Set<String> = []
        for match in article.matches(of: #/`([^`\n]+)`/#) {
            words.formUnion(match.1.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }.map(String.init))
        }
        for block in article.matches(of: #/```[a-z0-9]*\n([^`]*)```/#) {
            words.formUnion(block.1.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }.map(String.init))
        }
        return words
    }

    /// The names of all properties that a schema describes.
    private static func properties(of schema: JSONValue) -> Set<String> {
        switch schema {
        case .object(let members):
            var names: Set<String> = []
            for (key, value) in members {
                guard key == "properties", case .object(let described) = value else {
                    names.formUnion(properties(of: value))
                    continue
                }
                // The keys below are names, one of which may be "properties".
                names.formUnion(described.keys)
                for schema in described.values { names.formUnion(properties(of: schema)) }
            }
            return names
        case .array(let elements): return elements.reduce(into: []) { $0.formUnion(properties(of: $1)) }
        default: return []
        }
    }

    private static func document(_ file: ProjectTree.File) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(try file.read()))
    }

    @Test("Protocol names each key of the schemas of the wire, each channel and each code of a problem")
    func wire() throws {
        let words = Self.codeWords(of: try Self.article("Protocol"))
        let schemas = ProjectTree.files(below: "config/schemas").filter { !$0.path.hasSuffix("/agent.schema.json") }
        #expect(schemas.count >= 10)
        for schema in schemas {
            let missing = Self.properties(of: try Self.document(schema)).subtracting(words)
            #expect(missing.isEmpty, "\(schema): \(missing.sorted())")
        }
        let contract = try ProjectTree.File(path: "config/asyncapi.yaml").text()
        let addresses = contract.matches(of: #/ address: '([^']+)'/#)
        let channels = addresses.flatMap { $0.1.split(separator: "/").filter { !$0.hasPrefix("{") }.map(String.init) }
        #expect(channels.count >= 8)
        #expect(Set(channels).subtracting(words).isEmpty, "\(Set(channels).subtracting(words))")
        let codes = try ProjectTree.problemCodes()
        #expect(codes.count >= 14)
        #expect(Set(codes).subtracting(words).isEmpty, "\(Set(codes).subtracting(words))")
    }

    @Test("Operations says what to do for each code of a problem")
    func operations() throws {
        let words = Self.codeWords(of: try Self.article("Operations"))
        let missing = Set(try ProjectTree.problemCodes()).subtracting(words)
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test("StorageFormat names each table of a new database")
    func storage() throws {
        let words = Self.codeWords(of: try Self.article("StorageFormat"))
        let statements = try ProjectTree.swiftFiles(below: "Sources/Store").flatMap {
            try $0.lines(with: "CREATE TABLE ")
        }
        let tables = Set(statements.compactMap { $0.firstMatch(of: #/CREATE TABLE (\w+)/#).map { String($0.1) } })
        #expect(tables.count >= 5, "\(tables)")
        #expect(tables.subtracting(words).isEmpty, "\(tables.subtracting(words))")
    }

    @Test("The recorder in ConsumersGuide is the file that is tested and installed, and it is short")
    func recorder() throws {
        let listing = try #require(try Self.article("ConsumersGuide").firstMatch(of: #/```python\n([^`]*)```/#)?.1)
        let file = ProjectTree.File(path: "config/recorder.py")
        #expect(try String(listing) == file.text())
        #expect(listing.count { $0 == "\n" } <= 45)
        let build = try ProjectTree.File(path: "deploy/debian/build").text()
        #expect(build.contains("put 755 \"$root/\(file.path)\" $documents/examples/recorder.py"))
    }

    @Test("The README is short, each of its links leads to a file, and its payload is an example of the schema")
    func readme() throws {
        let readme = try ProjectTree.File(path: "README.md").text()
        #expect(readme.utf8.count <= 8192)
        for command in ["deploy/quickstart", "deploy/test"] { #expect(readme.contains("    \(command)\n")) }
        let links = readme.matches(of: #/\]\(([^)#:]+)\)/#).map { String($0.1) }
        #expect(links.count >= 10)
        for link in links {
            #expect(throws: Never.self, "\(link)") { try ProjectTree.File(path: link).read() }
        }
        let block = try #require(readme.firstMatch(of: #/```json\n([^`]*)```/#)?.1)
        let payload = try JSONDecoder().decode(JSONValue.self, from: Data(block.utf8))
        let schema = try Self.document(ProjectTree.File(path: "config/schemas/location-message.schema.json"))
        guard case .object(let members) = schema, case .array(let examples)? = members["examples"] else {
            Issue.record("the schema has no examples")
            return
        }
        #expect(examples.contains(payload))
    }
}
