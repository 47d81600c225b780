import Odograph
import OdographJSON
import OdographTerminal
import OdographWire

/// The values that programs on the vehicle set. The agent must be running.
extension LocalAgent {
    /// Sets the driver from now on.
    /// - Parameters:
    ///   - driver: The driver; nil for none.
    ///   - persists: Whether the driver stays after a restart.
    /// - Throws: ``ControlError``; `ExitError` if the agent refuses.
    public func setDriver(_ driver: String?, persists: Bool) async throws {
        try await set(.setDriver, ["driver": .stringOrNull(driver), "persist": .bool(persists)])
    }

    /// Sets the tag of records from now on, or begins private time; nil ends both.
    /// - Parameters:
    ///   - tag: The tag; nil for none.
    ///   - isPrivate: Whether the time is private. It then stays private after a restart in each case.
    ///   - persists: Whether the tag stays after a restart.
    /// - Throws: ``ControlError``; `ExitError` if the agent refuses.
    public func setTag(_ tag: String?, isPrivate: Bool, persists: Bool) async throws {
        try await set(
            .setTag, ["tag": .stringOrNull(tag), "private": .bool(isPrivate), "persist": .bool(persists)])
    }

    /// Reports signals of the vehicle.
    /// - Parameters:
    ///   - numbers: The numbers of the command, such as `speed`.
    ///   - isIgnitionOn: Whether the ignition is on; nil if it is not reported.
    ///   - persists: Whether they are used again after a restart.
    /// - Throws: ``ControlError``; `ExitError` if the agent refuses.
    public func setSignals(_ numbers: [String: Double], isIgnitionOn: Bool?, persists: Bool) async throws {
        var signals = numbers.mapValues { JSONValue.number($0) }
        signals["ignition"] = isIgnitionOn.map { .bool($0) }
        signals["persist"] = .bool(persists)
        try await set(.setSignals, signals)
    }

    /// Sets extras of each location record from now on.
    /// - Parameters:
    ///   - json: A JSON5 object over the configured extras.
    ///   - persists: Whether they stay after a restart.
    ///   - isIndented: Whether the result has several lines.
    /// - Returns: The extras of each location record, as JSON.
    /// - Throws: ``ControlError``; `ExitError` if the agent refuses, or `json` is not an object.
    public func setExtras(_ json: String, persists: Bool, isIndented: Bool = true) async throws -> String {
        guard case .object? = try? JSON5Parser.value(of: Array(json.utf8)),
            let value = try? JSON5Parser.value(of: Array(json.utf8))
        else { throw ExitError(.usage, "the extras are not a JSON5 object such as '{ job: 12 }'") }
        let answer = try await set(.setExtras, ["value": value, "persist": .bool(persists)])
        let inForce = answer["extras"] ?? .object([:])
        return isIndented ? try JSONCoder.prettyString(of: inForce) : try JSONCoder.string(of: inForce)
    }

    @discardableResult
    private func set(
        _ action: CommandRequest.Action, _ parameters: [String: JSONValue]
    ) async throws -> [String: JSONValue] {
        do {
            return try await perform(action, parameters)
        } catch let error as ControlError where error.kind == .noAgent {
            throw ControlError(.noAgent, description: "\(error.description); this can be set only while the agent runs")
        }
    }
}
