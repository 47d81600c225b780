import OdographJSON
import Wire

/// What an operator writes, and reads.
public enum FleetDocument {
    /// Reads the file of a document.
    /// - Parameters:
    ///   - path: where it is.
    ///   - limit: the most that it may have, bytes.
    ///   - tooLarge: what is said of a larger one; nil: that it is not the file that is meant.
    /// - Throws: ``ExitError`` where it cannot be read, or is larger.
    public static func read(
        _ path: String, atMost limit: Int = 1 << 20, tooLarge: ExitError? = nil
    ) throws(ExitError) -> [UInt8] {
        switch FileReader.read(path, atMost: limit) {
        case .success(let bytes): return bytes
        case .failure(let error):
            if error.isTooLarge, let tooLarge { throw tooLarge }
            throw ExitError(.noInput, "\(path): \(error.description)")
        }
    }

    /// A command's own keys.
    /// - Parameter text: an object, JSON5.
    /// - Throws: ``ExitError`` where it is none.
    public static func commandParameters(from text: String) throws(ExitError) -> [String: JSONValue] {
        do throws(JSONError) {
            if case .object(let members) = try JSON5Parser.value(of: Array(text.utf8)) { return members }
        } catch {
            throw ExitError(.usage, "\(error.lineAndColumn): \(error.reason)".printable)
        }
        throw ExitError(.usage, "write the action's keys as an object, \"{ key: value }\"")
    }

    /// An answer as JSON for a person.
    public static func json(of answer: CommandResponse) throws -> String {
        try JSONCoder.prettyString(of: answer) + "\n"
    }
}
