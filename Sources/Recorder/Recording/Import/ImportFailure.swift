/// The reason why a file cannot be imported.
package struct ImportFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the reason.
    package enum Kind: Hashable, Sendable {
        /// The file cannot be opened, or is a folder.
        case missing
        /// The file cannot be read to its end.
        case input
        /// The contents are wrong.
        case contents
    }

    /// The kind of the reason.
    package let kind: Kind
    /// One sentence that names the file and the line.
    package let description: String

    init(_ kind: Kind, _ path: String, line: Int? = nil, _ reason: String) {
        self.kind = kind
        description = "\(path)\(line.map { ":\($0)" } ?? ""): \(reason)"
    }
}
