import OdographJSON

/// Reads a file of settings. The keys are checked later, by a ``SettingsReader``.
package enum SettingsFile {
    /// The maximum size of a file, bytes. Settings have a few kilobytes; a larger file is a different file.
    package static let maximumBytes = 1 << 20

    /// Reads a JSON5 document.
    /// - Parameter path: The file; `-` is the standard input.
    /// - Throws: ``ConfigurationError`` if the file cannot be read, or is no JSON5.
    package static func document(at path: String) throws(ConfigurationError) -> JSONValue {
        let origin = FileReader.name(of: path)
        switch FileReader.read(path, atMost: maximumBytes) {
        case .success(let bytes): return try document(of: bytes, origin: origin)
        case .failure(let error):
            throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(path: "", problem: error.description)])
        }
    }

    /// Reads the text of a JSON5 document.
    /// - Parameters:
    ///   - bytes: The text, UTF-8.
    ///   - origin: The name of the document in error messages.
    /// - Throws: ``ConfigurationError`` with the line and the column.
    package static func document(of bytes: [UInt8], origin: String) throws(ConfigurationError) -> JSONValue {
        do {
            return try JSON5Parser.document(of: bytes)
        } catch {
            throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(error)])
        }
    }
}
