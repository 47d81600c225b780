import Odograph
import OdographJSON
import OdographWire

/// Reads and formats the documents of an operator.
public enum FleetDocument {
    /// Reads the file of a document.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the maximum size, bytes.
    ///   - tooLarge: the error for a larger file; nil: a general one.
    /// - Throws: ``ExitError`` if the file cannot be read, or is too large.
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

    /// Parses the parameters of a command.
    /// - Parameter text: a JSON5 object.
    /// - Throws: ``ExitError`` if it is not one.
    public static func commandParameters(from text: String) throws(ExitError) -> [String: JSONValue] {
        do throws(JSONError) {
            if case .object(let members) = try JSON5Parser.value(of: Array(text.utf8)) { return members }
        } catch {
            throw ExitError(.usage, "\(error.lineAndColumn): \(error.reason)".printable)
        }
        throw ExitError(.usage, "write the parameters as an object, \"{ key: value }\"")
    }

    /// Returns a response as indented JSON.
    public static func json(of answer: CommandResponse) throws -> String {
        try JSONCoder.prettyString(of: answer) + "\n"
    }
}
