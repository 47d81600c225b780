import OdographCivilTime
import OdographJSON
import OdographWire

/// The parser of commands.
enum CommandRequestParser {
    /// The maximum size of a command. Usual ones have a few hundred bytes.
    static let maximumBytes = 64 << 10
    private static let maximumIDBytes = 128

    /// The error of an invalid command.
    struct Refusal: Error, Hashable {
        /// The command's ID. Empty if it has none.
        var id: String
        /// The mistake and its correction.
        var problem: String

        var response: CommandResponse {
            CommandResponse(id: id, isSuccess: false, members: ["error": .string(problem)])
        }
    }

    static func parse(_ payload: [UInt8]) throws(Refusal) -> CommandRequest {
        guard payload.count <= maximumBytes else { throw tooLarge(payload.count) }
        let document: JSONValue
        do {
            document = try JSON5Parser.document(of: payload)
        } catch {
            throw Refusal(id: "", problem: "\(error.lineAndColumn): \(error.reason)")
        }
        guard case .object(var members) = document else {
            throw Refusal(id: "", problem: "write an object, {\"id\": \"…\", \"action\": \"…\"}")
        }
        guard case .string(let id)? = members.removeValue(forKey: "id"), (1...maximumIDBytes).contains(id.utf8.count)
        else {
            throw Refusal(
                id: "", problem: "\"id\": write a string of 1 to \(maximumIDBytes) bytes, unique for each command")
        }
        guard case .string(let action)? = members.removeValue(forKey: "action") else {
            throw Refusal(
                id: id, problem: "\"action\": write one of \(CommandRequest.Action.names.joined(separator: ", "))")
        }
        return CommandRequest(
            id: id, action: CommandRequest.Action(rawValue: action),
            address: try address(members.removeValue(forKey: "address"), id: id),
            expiresAt: try expiry(members.removeValue(forKey: "expires_at"), id: id),
            parameters: members)
    }

    static func tooLarge(_ count: Int) -> Refusal {
        Refusal(id: "", problem: "\(count) bytes; a command has at most \(maximumBytes)")
    }

    private static func address(_ value: JSONValue?, id: String) throws(Refusal) -> String? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default:
            throw Refusal(id: id, problem: "\"address\" must be root, fleet and device, like \"fleet/acme/van-7\"")
        }
    }

    private static func expiry(_ value: JSONValue?, id: String) throws(Refusal) -> Timestamp? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?:
            if let time = Timestamp(iso8601: text) { return time }
            fallthrough
        default: throw Refusal(id: id, problem: "\"expires_at\" must be a time like 2026-11-21T09:15:02Z")
        }
    }
}
