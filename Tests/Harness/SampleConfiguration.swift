public import OdographJSON

/// A sample configuration as text: its settings in the order of the file, each with the comment above it.
public struct SampleConfiguration {
    /// A key of the sample.
    public struct Setting {
        /// The path of the key, for example `["broker", "tls", "ca_file"]`.
        public let path: [String]
        /// The comment lines above the key, joined.
        public let comment: String
        /// Whether it opens an object of further settings.
        public let isBlock: Bool

        /// The last part of the path.
        public var key: String { path.last ?? "" }
        /// The path in the form of error messages.
        public var name: String { path.joined(separator: ".") }
    }

    /// The document with every setting, including those that are commented out.
    public let document: JSONValue
    /// Every setting.
    public let settings: [Setting]

    /// Reads a sample.
    /// - Parameter path: The file.
    public init(path: String) throws {
        let text = try FileContents.text(path)
        // The second pass handles a commented-out setting within a commented-out block.
        let lines = Self.uncommented(Self.uncommented(text.split(separator: "\n").map(String.init)))
        document = try JSON5Parser.value(of: Array(lines.joined(separator: "\n").utf8))
        settings = Self.settings(of: lines)
    }

    /// Returns the keys that the sample shows directly in a block.
    public func keys(in block: [String]) -> [String] {
        settings.filter { $0.path.dropLast() == block[...] }.map(\.key)
    }

    /// Removes the slashes from commented-out settings and from the lines of commented-out blocks.
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
    /// Returns this object with another value at a path.
    public func replacing(_ path: some Collection<String>, with value: JSONValue) -> JSONValue {
        guard let key = path.first else { return value }
        var members: [String: JSONValue] = [:]
        if case .object(let own) = self { members = own }
        members[key] = (members[key] ?? .null).replacing(path.dropFirst(), with: value)
        return .object(members)
    }
}
