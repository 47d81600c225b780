import OdographCivilTime

@testable import OdographTracking
import OdographModel

/// The handling of positions in the order of the agent.
extension Tracker {
    /// Handles a position, with or without the receiver's date.
    mutating func take(_ position: ReceivedFix) -> [TrackerOutput] {
        let moment = position.fix.received
        var outputs = takeDated(at: moment)
        if dated(position) == nil {
            outputs += handle(.undated(position))
            outputs += takeDated(at: moment)
        }
        if let fix = dated(position) { outputs += handle(.fix(fix)) }
        return outputs
    }

    /// Handles the queued positions whose date is known now.
    mutating func takeDated(at moment: ClockReading) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        for fix in takeDatedFixes(at: moment) { outputs += handle(.fix(fix)) }
        return outputs
    }
}
