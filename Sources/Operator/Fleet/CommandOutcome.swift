import Odograph
import OdographJSON
import OdographTerminal
import OdographWire

/// The outcome of a command in a vehicle.
public struct CommandOutcome: Hashable, Sendable {
    /// The result.
    public enum Result: Hashable, Sendable {
        /// The vehicle responded.
        case response(CommandResponse)
        /// The vehicle got no command, or did not respond; the reason for people.
        case none(String)
    }

    /// The name of the vehicle.
    public let device: String
    /// The result.
    public let result: Result

    /// - Parameters: As the properties of the same names.
    package init(device: String, result: Result) {
        self.device = device
        self.result = result
    }

    /// Whether the vehicle executed the command, refused it, or did not respond.
    var state: String {
        switch result {
        case .response(let response): response.isSuccess ? "ok" : "error"
        case .none: "none"
        }
    }

    /// Returns a line per vehicle: its name, the state, and the response.
    /// - Parameters:
    ///   - outcomes: The vehicles.
    ///   - width: The maximum number of characters per line; nil: no limit.
    public static func table(_ outcomes: [CommandOutcome], width: Int?) -> String {
        let rows = outcomes.map { outcome in
            [outcome.device, outcome.state == "none" ? "no response" : outcome.state, outcome.detail]
        }
        return TextTable([.init("VEHICLE"), .init("RESULT"), .init("RESPONSE")], rows: rows).text(width: width)
    }

    private var detail: String {
        switch result {
        case .none(let reason): return reason
        case .response(let response):
            if let error = response.error { return error }
            let members = response.members.filter { $0.key != "address" }
            return members.isEmpty ? "" : (try? JSONCoder.string(of: JSONValue.object(members))) ?? ""
        }
    }

    /// Returns one JSON object per line: the response of the vehicle with `device`. Without a response, `status` is
    /// `none`, and `error` the reason.
    public static func jsonLines(_ outcomes: [CommandOutcome]) throws -> String {
        try outcomes.map { outcome in
            var members: [String: JSONValue]
            switch outcome.result {
            case .response(let response): members = try JSONCoder.members(of: response)
            case .none(let reason): members = ["status": .string("none"), "error": .string(reason)]
            }
            members["device"] = .string(outcome.device)
            return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
        }.joined()
    }

    /// The exit code of the vehicles: a refusal counts more than a missing response. nil if all have executed it.
    public static func failure(_ outcomes: [CommandOutcome]) -> ExitError.Code? {
        let states = Set(outcomes.map(\.state))
        return states.contains("error") ? .problems : states.contains("none") ? .unavailable : nil
    }
}
