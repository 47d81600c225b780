import Wire

/// What an operator writes, and reads.
public enum FleetDocument {
    /// Reads the file of a document.
    /// - Parameters:
    ///   - path: where it is.
    ///   - limit: the most that it may have, bytes.
    ///   - tooLarge: what is said of a larger one; nil: that it is not the file that is meant.
    /// - Throws: ``Failure`` where it cannot be read, or is larger.
    public static func read(
        _ path: String, atMost limit: Int = 1 << 20, tooLarge: Failure? = nil
    ) throws(Failure) -> [UInt8] {
        switch FileBytes.read(path, atMost: limit) {
        case .success(let bytes): return bytes
        case .failure(let error):
            if error.isTooLarge, let tooLarge { throw tooLarge }
            throw Failure(.noInput, "\(path): \(error.description)")
        }
    }

    /// A command's own keys.
    /// - Parameter text: an object, JSON5.
    /// - Throws: ``Failure`` where it is none.
    public static func members(of text: String) throws(Failure) -> [String: JSONValue] {
        do throws(JSON5Error) {
            if case .object(let members) = try JSON5Parser.value(of: Array(text.utf8)) { return members }
        } catch {
            throw Failure(.usage, "\(error.place): \(error.reason)".printable)
        }
        throw Failure(.usage, "write the action's keys as an object, \"{ key: value }\"")
    }

    /// An answer as JSON for a person.
    public static func text(of answer: CommandResponse) throws -> String {
        try JSONText.pretty(answer) + "\n"
    }
}
