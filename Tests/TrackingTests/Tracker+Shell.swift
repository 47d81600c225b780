import CivilTime

@testable import Tracking
import OdographModel

/// What the shell does with positions, in its order.
extension Tracker {
    /// A position, with the receiver's date or without.
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

    /// The positions that waited, if their date is known by now.
    mutating func takeDated(at moment: ClockReading) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        for fix in takeDatedFixes(at: moment) { outputs += handle(.fix(fix)) }
        return outputs
    }
}
