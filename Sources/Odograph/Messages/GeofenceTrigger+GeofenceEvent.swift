import OdographJSON
import OdographModel
import OdographTracking
import OdographWire

extension GeofenceTrigger {
    /// Creates the wire form of a geofence event.
    package init(_ event: GeofenceEvent) {
        self.init(
            identifier: event.identifier, action: Action(event.action), occurredAt: event.occurredAt,
            confirmedAt: event.confirmedAt)
        initial = event.isInitial ? true : nil
        reason = event.reason.map(Reason.init)
        exitedAt = event.exitedAt
        dwell = event.dwellSeconds?.rounded(toDecimals: 3, as: .duration)
        peakSpeed = event.peakSpeedMetersPerSecond?.rounded(toDecimals: 2, as: .speed)
        speedLimit = event.speedLimitMetersPerSecond
        duration = event.durationSeconds?.rounded(toDecimals: 3, as: .duration)
        name = event.name
        significance = event.significance
        // The text was a JSON object when the fence was accepted. A text that is not is left out.
        extras = event.extras.flatMap { try? JSONCoder.decode([String: JSONValue].self, from: Array($0.utf8)) }
    }
}
