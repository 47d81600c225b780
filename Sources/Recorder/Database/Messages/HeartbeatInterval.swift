import OdographJSON
import OdographWire

/// The time after which a parked vehicle makes a record (`tracking.heartbeat_interval`).
enum HeartbeatInterval {
    /// The default, seconds.
    static let usualSeconds = 3600.0

    /// Returns an interval that a report or the database states, seconds; the default if no agent can have it.
    static func possible(_ seconds: Double) -> Double {
        (0...604_800).contains(seconds) ? seconds : usualSeconds
    }
}

extension ReportedMessage {
    /// The time after which a parked vehicle makes a record, seconds; nil if the report does not contain the
    /// configuration. It is the default if the value is none that an agent can have.
    var heartbeatSeconds: Double? {
        guard let configuration else { return nil }
        let stated = configuration["tracking"]?["heartbeat_interval"]?.double
        return HeartbeatInterval.possible(stated ?? HeartbeatInterval.usualSeconds)
    }
}
