import CivilTime
import OdographJSON

/// A command: over the control socket, or the topic `command`.
public struct CommandRequest: Hashable, Sendable, Codable {
    /// Whatever the sender wants to know the answer by.
    public var id: String
    /// What is to be done.
    public var action: String
    /// The agent that is meant, root, fleet and device joined by slashes. Another agent refuses the command. nil: whichever agent it
    /// reaches.
    public var address: String?
    /// The command is not to be done later than this.
    public var expiresAt: Timestamp?
    /// The action's own keys.
    public var parameters: [String: JSONValue]

    /// - Parameters: as the properties of the same names.
    public init(
        id: String, action: String, address: String? = nil, expiresAt: Timestamp? = nil,
        parameters: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.action = action
        self.address = address
        self.expiresAt = expiresAt
        self.parameters = parameters
    }

    /// - Throws: `DecodingError` where `id` or `action` is missing or no string, `address` no string, or `expires_at` no time.
    public init(from decoder: any Decoder) throws {
        var members = try [String: JSONValue](from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        action = try container.decode(String.self, forKey: .action)
        address = try container.decodeIfPresent(String.self, forKey: .address)
        expiresAt = try container.decodeIfPresent(Timestamp.self, forKey: .expiresAt)
        for key in [CodingKeys.id, .action, .address, .expiresAt] { members[key.rawValue] = nil }
        parameters = members
    }

    /// Writes the action's own keys beside the common ones.
    public func encode(to encoder: any Encoder) throws {
        var members = parameters
        members[CodingKeys.id.rawValue] = .string(id)
        members[CodingKeys.action.rawValue] = .string(action)
        members[CodingKeys.address.rawValue] = address.map { .string($0) }
        members[CodingKeys.expiresAt.rawValue] = expiresAt.map { .string($0.iso8601) }
        try members.encode(to: encoder)
    }

    private enum CodingKeys: String, CodingKey {
        case id, action, address
        case expiresAt = "expires_at"
    }

    /// The answer to a command that was done.
    public func success(_ result: [String: JSONValue] = [:]) -> CommandResponse {
        CommandResponse(id: id, isSuccess: true, members: result)
    }

    /// The answer to a command that was not done.
    /// - Parameter error: what is wrong, and what would be right.
    public func failure(_ error: String) -> CommandResponse {
        CommandResponse(id: id, isSuccess: false, members: ["error": .string(error)])
    }
}

/// The answer to a command.
public struct CommandResponse: Hashable, Sendable, Codable {
    /// The command's.
    public var id: String
    /// Whether it was done: `status` is `ok`, else `error`.
    public var isSuccess: Bool
    /// What else there is to say: the result's keys, or `error` with a sentence.
    public var members: [String: JSONValue]

    /// - Parameters: as the properties of the same names.
    public init(id: String, isSuccess: Bool, members: [String: JSONValue]) {
        self.id = id
        self.isSuccess = isSuccess
        self.members = members
    }

    /// The sentence of an error.
    public var error: String? {
        if case .string(let text)? = members["error"] { text } else { nil }
    }

    /// The agent that answers, root, fleet and device joined by slashes; nil where the agent is one that does not say it yet.
    public var address: String? {
        if case .string(let text)? = members["address"] { text } else { nil }
    }

    /// The same answer with the address of the agent that gives it.
    public func withAddress(_ address: String) -> CommandResponse {
        var response = self
        response.members["address"] = .string(address)
        return response
    }

    /// - Throws: `DecodingError` where it is no answer.
    public init(from decoder: any Decoder) throws {
        members = try [String: JSONValue](from: decoder)
        guard case .string(let id)? = members.removeValue(forKey: "id"),
            case .string(let status)? = members.removeValue(forKey: "status")
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "an answer has id and status"))
        }
        self.id = id
        isSuccess = status == "ok"
    }

    /// Writes the result's keys beside `id` and `status`.
    public func encode(to encoder: any Encoder) throws {
        var all = members
        all["id"] = .string(id)
        all["status"] = .string(isSuccess ? "ok" : "error")
        try all.encode(to: encoder)
    }
}
