import Harness
import OdographJSON
import Wire

@testable import Odograph

/// The sample configuration as text: its settings in the order of the file, with what is said above each.
struct SampleConfiguration {
    /// A key of the sample.
    struct Setting {
        /// Where it is: `["broker", "tls", "ca_file"]`.
        let path: [String]
        /// The lines above it, as one.
        let comment: String
        /// Whether it opens an object of further settings.
        let isBlock: Bool

        /// The last part of the path.
        var key: String { path.last ?? "" }
        /// The path as error messages write it.
        var name: String { path.joined(separator: ".") }
    }

    /// The file.
    static let path = Corpora.projectRoot + "/config/agent.json5"
    /// The alternatives of which only one can be said.
    static let sources = ["gpsd", "replay", "simulator"]

    /// The document with every setting said, those among them that are off in the file.
    let document: JSONValue
    /// Every setting.
    let settings: [Setting]

    init() throws {
        let text = String(decoding: try FileReader.read(Self.path, atMost: 1 << 20).get(), as: UTF8.self)
        // Twice, for a setting that is off within a block that is.
        let lines = Self.uncommented(Self.uncommented(text.split(separator: "\n").map(String.init)))
        document = try JSON5Parser.value(of: Array(lines.joined(separator: "\n").utf8))
        settings = Self.settings(of: lines)
    }

    /// The document with one kind of source and everything else.
    func document(source: String) -> JSONValue {
        let others = Self.sources.filter { $0 != source }.map { ($0, JSONValue.null) }
        return document.applyingMergePatch(.object(["source": .object(Dictionary(uniqueKeysWithValues: others))]))
    }

    /// The source that has to be said for a setting to be read.
    static func source(for path: [String]) -> String {
        path.count > 1 && path[0] == "source" ? path[1] : "gpsd"
    }

    /// Takes the slashes from settings that are off, and from the lines of blocks that are.
    private static func uncommented(_ lines: [String]) -> [String] {
        var isInBlock = false
        return lines.map { line in
            let text = line.drop { $0 == " " }
            let indentation = line.prefix(line.count - text.count)
            guard text.hasPrefix("//") else { return line }
            let rest = text.dropFirst(2)
            let isSetting = rest.first.map { $0.isLetter || $0 == "}" } ?? false
            if rest == "}," { isInBlock = false }
            defer { if isSetting, rest.hasSuffix("{") { isInBlock = true } }
            return isSetting || isInBlock ? String(indentation + rest) : line
        }
    }

    private static func settings(of lines: [String]) -> [Setting] {
        var settings: [Setting] = []
        var path: [String] = []
        var comment: [Substring] = []
        for line in lines {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("//") {
                comment.append(text.dropFirst(2).drop { $0 == " " })
                continue
            }
            if let colon = text.firstIndex(of: ":") {
                let setting = Setting(
                    path: path + [String(text[..<colon])], comment: comment.joined(separator: " "),
                    isBlock: text.hasSuffix("{"))
                settings.append(setting)
                if setting.isBlock { path = setting.path }
            } else if text == "},", !path.isEmpty {
                path.removeLast()
            }
            comment = []
        }
        return settings
    }
}

extension JSONValue {
    /// This object with another value at a path.
    func replacing(_ path: some Collection<String>, with value: JSONValue) -> JSONValue {
        guard let key = path.first else { return value }
        var members: [String: JSONValue] = [:]
        if case .object(let own) = self { members = own }
        members[key] = (members[key] ?? .null).replacing(path.dropFirst(), with: value)
        return .object(members)
    }
}
