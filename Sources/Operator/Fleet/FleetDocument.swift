import Odograph
import OdographCivilTime
import OdographCrontab
import OdographJSON
import OdographTerminal
import OdographWire

/// Reads and formats the documents of an operator.
public enum FleetDocument {
    /// Reads the file of a document.
    /// - Parameters:
    ///   - path: the path of the file; `-` is the standard input.
    ///   - limit: the maximum size, bytes.
    ///   - tooLarge: the error for a larger file; nil: a general one.
    /// - Throws: `ExitError` if the file cannot be read, or is too large.
    public static func read(
        _ path: String, atMost limit: Int = 1 << 20, tooLarge: ExitError? = nil
    ) throws(ExitError) -> [UInt8] {
        switch FileReader.read(path, atMost: limit) {
        case .success(let bytes): return bytes
        case .failure(let error):
            if error.isTooLarge, let tooLarge { throw tooLarge }
            throw ExitError(.noInput, "\(FileReader.name(of: path)): \(error.description)")
        }
    }

    /// Returns a document as strict JSON (RFC 8259). One that is strict JSON stays as it is.
    /// - Parameter document: JSON5.
    /// - Returns: the same values in one line with sorted keys; the document itself if it is not JSON5.
    static func strictJSON(of document: [UInt8]) -> [UInt8] {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let isStrict =
            !document.starts(with: byteOrderMark) && (try? JSONCoder.decode(JSONValue.self, from: document)) != nil
        guard !isStrict, let value = try? JSON5Parser.value(of: document), let bytes = try? JSONCoder.bytes(of: value)
        else { return document }
        return bytes
    }

    /// Returns the probable mistakes in a configuration, one sentence each.
    /// - Parameter document: JSON5.
    package static func warnings(_ document: [UInt8]) -> [String] {
        let expression = (try? JSON5Parser.value(of: document))?["tracking"]?["schedule"]
        return expression.flatMap { Schedule($0) }?.warnings ?? []
    }

    /// Parses the parameters of a command.
    /// - Parameters:
    ///   - text: a JSON5 object. A time in it may be a date, or an age such as `2h`.
    ///   - now: the current time, for ages.
    ///   - zone: the zone of dates.
    /// - Throws: `ExitError` if it is not one.
    public static func commandParameters(
        from text: String, now: Timestamp = .now, zone: ZoneRules = .utc
    ) throws(ExitError) -> [String: JSONValue] {
        do throws(JSONError) {
            if case .object(var members) = try JSON5Parser.value(of: Array(text.utf8)) {
                for key in ["from", "to", "after"] {
                    guard case .string(let value)? = members[key], Timestamp(iso8601: value) == nil,
                        let time = Timestamp(argument: value, now: now, zone: zone)
                    else { continue }
                    members[key] = .string(time.iso8601)
                }
                return members
            }
        } catch {
            throw ExitError(.usage, "\(error.lineAndColumn): \(error.reason)".printable)
        }
        throw ExitError(.usage, "write the parameters as an object, \"{ key: value }\"")
    }

    /// Returns the topics of removed messages, one JSON object per line.
    public static func jsonLines(topics: [String]) throws -> String {
        try topics.map { try JSONCoder.string(of: ["topic": $0]) + "\n" }.joined()
    }

    /// Returns a response as indented JSON.
    public static func json(of answer: CommandResponse) throws -> String {
        try JSONCoder.prettyString(of: answer) + "\n"
    }
}
