import OdographCivilTime
import OdographJSON

/// A command from the control socket or the topic `command`.
public struct CommandRequest: Hashable, Sendable, Codable {
    /// The identifier by which the sender recognizes the answer.
    public var id: String
    /// The action.
    public var action: Action
    /// The address of the intended agent: root, fleet and device, joined by slashes. Another agent refuses the command.
    /// Nil if any agent may execute it.
    public var address: String?
    /// The time after which the command must not be executed.
    public var expiresAt: Timestamp?
    /// The keys of the action.
    public var parameters: [String: JSONValue]

    /// Creates a command from its parts.
    public init(
        id: String, action: Action, address: String? = nil, expiresAt: Timestamp? = nil,
        parameters: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.action = action
        self.address = address
        self.expiresAt = expiresAt
        self.parameters = parameters
    }

    /// Decodes a command.
    /// - Throws: `DecodingError` if `id` or `action` is missing or not a string, `address` is not a string, or
    ///   `expires_at` is not a time.
    public init(from decoder: any Decoder) throws {
        var members = try [String: JSONValue](from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        action = try container.decode(Action.self, forKey: .action)
        address = try container.decodeIfPresent(String.self, forKey: .address)
        expiresAt = try container.decodeIfPresent(Timestamp.self, forKey: .expiresAt)
        for key in [CodingKeys.id, .action, .address, .expiresAt] { members[key.rawValue] = nil }
        parameters = members
    }

    /// Encodes the keys of the action and the common keys in one object.
    public func encode(to encoder: any Encoder) throws {
        var members = parameters
        members[CodingKeys.id.rawValue] = .string(id)
        members[CodingKeys.action.rawValue] = .string(action.rawValue)
        members[CodingKeys.address.rawValue] = address.map { .string($0) }
        members[CodingKeys.expiresAt.rawValue] = expiresAt.map { .string($0.iso8601) }
        try members.encode(to: encoder)
    }

    private enum CodingKeys: String, CodingKey {
        case id, action, address
        case expiresAt = "expires_at"
    }

    /// Returns the answer to an executed command.
    public func success(_ result: [String: JSONValue] = [:]) -> CommandResponse {
        CommandResponse(id: id, isSuccess: true, members: result)
    }

    /// Returns the answer to a command that was not executed.
    /// - Parameter error: The problem and the remedy.
    public func failure(_ error: String) -> CommandResponse {
        CommandResponse(id: id, isSuccess: false, members: ["error": .string(error)])
    }
}

/// The answer to a command.
public struct CommandResponse: Hashable, Sendable, Codable {
    /// The identifier of the command.
    public var id: String
    /// Whether the command was executed: `status` is `ok`, otherwise `error`.
    public var isSuccess: Bool
    /// The other keys: those of the result, or `error` with a sentence.
    public var members: [String: JSONValue]

    /// Creates an answer from its parts.
    public init(id: String, isSuccess: Bool, members: [String: JSONValue]) {
        self.id = id
        self.isSuccess = isSuccess
        self.members = members
    }

    /// The sentence of an error; nil if there is none.
    public var error: String? {
        if case .string(let text)? = members["error"] { text } else { nil }
    }

    /// The address of the answering agent: root, fleet and device, joined by slashes; nil before
    /// ``withAddress(_:)``.
    public var address: String? {
        if case .string(let text)? = members["address"] { text } else { nil }
    }

    /// Returns the same answer with the address of the answering agent.
    public func withAddress(_ address: String) -> CommandResponse {
        var response = self
        response.members["address"] = .string(address)
        return response
    }

    /// Decodes an answer.
    /// - Throws: `DecodingError` if it has no `id` or no `status`.
    public init(from decoder: any Decoder) throws {
        members = try [String: JSONValue](from: decoder)
        guard case .string(let id)? = members.removeValue(forKey: "id"),
            case .string(let status)? = members.removeValue(forKey: "status")
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a response has id and status"))
        }
        self.id = id
        isSuccess = status == "ok"
    }

    /// Encodes the result's keys, `id` and `status` in one object.
    public func encode(to encoder: any Encoder) throws {
        var all = members
        all["id"] = .string(id)
        all["status"] = .string(isSuccess ? "ok" : "error")
        try all.encode(to: encoder)
    }
}
