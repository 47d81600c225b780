import OdographCivilTime
import OdographJSON
import OdographSettings
import OdographWire

/// The reason why a command was not executed.
struct CommandError: Error {
    let message: String
}

extension CommandRequest {
    /// Returns why an agent does not execute the command now; nil if it does.
    func problem(for own: DeviceAddress, at now: Timestamp) -> String? {
        if let address, address != own.path {
            return "this is the agent \(own.path), but the command is for \(address); not executed"
        }
        guard let expiresAt, expiresAt < now else { return nil }
        return "not executed: expired at \(expiresAt.iso8601); the agent's time is \(now.iso8601)"
    }

    /// Returns a number of the parameters.
    func number(
        _ key: String, default fallback: Double?, in range: ClosedRange<Double>
    ) throws(CommandError) -> Double {
        let number: Double
        switch parameters[key] {
        case .integer(let value)?: number = Double(value)
        case .number(let value)?: number = value
        case nil where fallback != nil: return fallback ?? 0
        default: throw CommandError(message: "\(action) needs \"\(key)\", a number")
        }
        guard range.contains(number) else {
            throw CommandError(
                message: "\"\(key)\" must be from \(range.boundsText), not \(number.shortText)")
        }
        return number
    }

    /// Returns a truth value of the parameters.
    func flag(_ key: String, default fallback: Bool) throws(CommandError) -> Bool {
        switch parameters[key] {
        case nil: return fallback
        case .bool(let value)?: return value
        default: throw CommandError(message: "\"\(key)\" must be true or false")
        }
    }

    /// Returns a name of the parameters; nil if it is null.
    /// - Parameter longest: The largest number of Unicode scalars.
    func name(_ key: String, longest: Int) throws(CommandError) -> String? {
        switch parameters[key] {
        case .null?: return nil
        case .string(let text)? where (1...longest).contains(text.unicodeScalars.count): return text
        default:
            throw CommandError(
                message: "\(action) needs \"\(key)\", a string of 1 to \(longest) characters; null removes it")
        }
    }

    /// Returns a time of the parameters; nil if it is absent.
    func time(_ key: String) throws(CommandError) -> Timestamp? {
        switch parameters[key] {
        case nil, .null?: return nil
        case .string(let text)?:
            if let time = Timestamp(iso8601: text) { return time }
            fallthrough
        default: throw CommandError(message: "\"\(key)\" must be a time like 2026-11-21T09:15:02Z")
        }
    }
}

extension CommandRequest.Action {
    /// Whether the action changes and records nothing, so that it may be repeated. True for an unknown one, which is
    /// not executed.
    package var isReadOnly: Bool {
        ![.getCurrentPosition, .setOdometer, .setExtras, .flush, .renewCertificate].contains(self) && !isLocal
    }

    /// Whether only programs on the vehicle may execute the action: it states the driver, or the state of the vehicle.
    /// A private time that the driver began must not be ended from outside.
    package var isLocal: Bool { [.setDriver, .setTag, .setSignals].contains(self) }

    /// The names of all actions.
    package static let names = knownValues.map(\.rawValue)
}
