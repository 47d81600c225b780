import FoundationEssentials
import OdographHarness
import OdographJSON
import Testing
import OdographWire

/// The articles of the documentation contain all names of the code and the contract.
@Suite("The articles")
struct ArticleTests {
    /// Returns the text of an article.
    private static func article(_ name: String) throws -> String {
        try ProjectTree.File(path: "Sources/Odograph/Odograph.docc/\(name).md").text()
    }

    /// Returns the words of an article in code font: whole, and the parts of paths such as `coords.latitude`.
    private static func codeWords(of article: String) -> Set<String> {
        var words: Set<String> = []
        for match in article.matches(of: #/`([^`\n]+)`/#) { words.formUnion(Self.words(of: match.1)) }
        for block in article.matches(of: #/```[a-z0-9]*\n([^`]*)```/#) { words.formUnion(Self.words(of: block.1)) }
        return words
    }

    private static func words(of text: some StringProtocol) -> Set<String> {
        Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }.map { String($0) })
    }

    private static func document(_ file: ProjectTree.File) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(try file.read()))
    }

    @Test(
        "StorageFormat has the number of each format",
        arguments: [
            ("Store/Database/StoreSchema.swift", #"static let version = (\d+)"#, "| `agent.db` | `user_version` %"),
            (
                "Odograph/Saving/StateSnapshot.swift", #"static let form = (\d+)"#,
                "| state: snapshot and journal | `form` %"
            ),
            (
                "Store/SequenceNumbers/SequenceReservation.swift", #"magic = Array\("(\w+)""#,
                "| `agent.db-numbers` | `%`"
            ),
            (
                "Recorder/Database/Schema/RecorderSchema.swift", #"static let version = (\d+)"#,
                "| database of a recorder | version %"
            ),
        ])
    func formatNumbers(file: String, pattern: String, row: String) throws {
        let expression = try Regex<(Substring, Substring)>(pattern)
        let source = try ProjectTree.File(path: "Sources/\(file)").text()
        let number = try #require(source.firstMatch(of: expression)?.output.1)
        let rows = try Self.article("StorageFormat").split(separator: "\n")
        let expected = row.replacing("%", with: String(number))
        #expect(rows.contains { $0.hasPrefix(expected) }, "\(expected)")
    }

    /// The check of the contract says that each key of a schema has a description.
    @Test("Protocol names each schema and each channel")
    func wire() throws {
        let words = Self.codeWords(of: try Self.article("Protocol"))
        // `agent.json5` has the keys of the agent's file.
        let schemas = ProjectTree.files(below: "config/schemas").compactMap { file in
            file.path.split(separator: "/").last?.split(separator: ".").first.map { String($0) }
        }.filter { $0 != "agent" }
        #expect(schemas.count >= 10)
        #expect(Set(schemas).subtracting(words).isEmpty, "\(Set(schemas).subtracting(words))")
        let contract = try ProjectTree.File(path: "config/asyncapi.yaml").text()
        let addresses = contract.matches(of: #/ address: '([^']+)'/#)
        let channels = addresses.flatMap { Self.words(of: $0.1.replacing(#/{\w+}/#, with: "")) }
        #expect(channels.count >= 8)
        #expect(Set(channels).subtracting(words).isEmpty, "\(Set(channels).subtracting(words))")
    }

    @Test("Operations contains an action for each problem code")
    func operations() throws {
        let words = Self.codeWords(of: try Self.article("Operations"))
        let missing = Set(try ProjectTree.problemCodes()).subtracting(words)
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test("StorageFormat contains each table of a new database")
    func storage() throws {
        let words = Self.codeWords(of: try Self.article("StorageFormat"))
        let statements = try ProjectTree.swiftFiles(below: "Sources/Store").flatMap {
            try $0.lines(with: "CREATE TABLE ")
        }
        let tables = Set(statements.compactMap { $0.firstMatch(of: #/CREATE TABLE (\w+)/#).map { String($0.1) } })
        #expect(tables.count >= 5, "\(tables)")
        #expect(tables.subtracting(words).isEmpty, "\(tables.subtracting(words))")
    }

    @Test("Architecture names each folder of Sources, and the folders inside the modules that have an order")
    func folders() throws {
        let words = Self.codeWords(of: try Self.article("Architecture"))
        var folders = Self.folders(of: "Sources")
        #expect(folders.count >= 14)
        for module in ["Odograph", "Operator", "Recorder", "Terminal", "Tracking"] {
            folders += Self.folders(of: "Sources/\(module)")
        }
        let missing = folders.filter { !Self.words(of: $0).isSubset(of: words) }
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test("Each file of Swift that the article names exists", arguments: ["Architecture", "Contributing"])
    func paths(of name: String) throws {
        // An article can name the last folder and the file.
        let paths = Set(try Self.article(name).matches(of: #/\b\w+\/[\w\/+.-]+?\.swift\b/#).map { String($0.0) })
        let files = (ProjectTree.swiftFiles(below: "Sources") + ProjectTree.swiftFiles(below: "Tests")).map(\.path)
        let missing = paths.filter { path in
            let isWhole = path.hasPrefix("Sources/") || path.hasPrefix("Tests/")
            return !files.contains { isWhole ? $0 == path : $0.hasSuffix("/" + path) }
        }
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    @Test(
        "Each type that the article names is declared, or is the name of a folder",
        arguments: [("Accuracy", 40), ("Architecture", 150), ("Contributing", 20), ("StorageFormat", 10)])
    func types(of name: String, atLeast count: Int) throws {
        // `Type` or `Type.member`. A word without a small letter is a value.
        let words = try Self.article(name).matches(of: #/`([A-Z]\w*[a-z]\w*)(?:\.(\w+)[^`\n]*)?`/#)
        let named = Set(words.filter { !["swift", "md", "docc"].contains($0.2) }.map { String($0.1) })
        #expect(named.count >= count)
        var known = Set(["Sources", "Tests"].flatMap(ProjectTree.files(below:)).flatMap(\.folders).map { String($0) })
        for file in ProjectTree.swiftFiles(below: "Sources") + ProjectTree.swiftFiles(below: "Tests") {
            known.formUnion(Self.declaredWords(in: try file.text()).types)
        }
        #expect(named.subtracting(known).isEmpty, "\(named.subtracting(known).sorted())")
    }

    @Test("Each member of a type that Architecture names is declared in a file of this type")
    func members() throws {
        let named = try Self.article("Architecture").matches(of: #/`([A-Z]\w*)\.(\w+)[^`\n]*`/#)
        let names = Set(named.map { [String($0.1), String($0.2)] }).filter { !["swift", "md", "docc"].contains($0[1]) }
        #expect(names.count >= 40, "\(names)")
        let files = try ProjectTree.swiftFiles(below: "Sources").map { Self.declaredWords(in: try $0.text()) }
        let missing = names.filter { name in
            !files.contains { $0.types.contains(name[0]) && $0.members.contains(name[1]) }
        }
        #expect(missing.isEmpty, "\(missing.map { $0.joined(separator: ".") }.sorted())")
    }

    /// Returns the types that a file declares or extends, and all words of the lines that declare something.
    private static func declaredWords(in text: String) -> (types: Set<String>, members: Set<String>) {
        let typeKeywords: Set = ["struct", "class", "enum", "actor", "protocol", "extension"]
        let keywords = typeKeywords.union(["func", "var", "let", "case", "typealias"])
        var (types, members): (Set<String>, Set<String>) = ([], [])
        for line in text.split(separator: "\n") where !line.contains("//") {
            let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { String($0) }
            guard let keyword = words.firstIndex(where: { keywords.contains($0) }) else { continue }
            members.formUnion(words[keyword...])
            if typeKeywords.contains(words[keyword]) { types.formUnion(words[keyword...].dropFirst().prefix(2)) }
        }
        return (types, members)
    }

    /// The folders in a folder.
    private static func folders(of folder: String) -> [String] {
        let depth = folder.split(separator: "/").count
        let below = ProjectTree.files(below: folder).filter { $0.folders.count > depth }
        return Set(below.map { String($0.folders[depth]) }).sorted()
    }

    @Test(
        "ConsumersGuide names the programs that are tested and installed, and they are short",
        arguments: ["recorder.py", "ask.py"])
    func consumers(name: String) throws {
        let file = ProjectTree.File(path: "config/\(name)")
        #expect(try Self.article("ConsumersGuide").contains("`\(file.path)`"))
        #expect(try file.text().count { $0 == "\n" } <= 60)
        let facts = try ProjectTree.File(path: "deploy/debian/files/odograph.facts").text()
        #expect(facts.contains("put 755 \"$root/\(file.path)\" \"$documents/examples/\(name)\""))
    }

    @Test(
        "Protocol names the decoders of batches and the inputs that they must refuse, and they are short",
        arguments: [
            ("config/batches.py", 95), ("deploy/dashboard/page/core/batches.js", 145),
            ("Tests/Contract/hostile-batches.json", 100),
        ])
    func decoders(path: String, lines: Int) throws {
        let text = try ProjectTree.File(path: path).text()
        #expect(try Self.article("Protocol").contains("`\(path)`"))
        #expect(text.count { $0 == "\n" } <= lines)
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
