import OdographModel
import OdographTracking
import OdographWire

extension DrivingReading {
    /// Creates the wire form of an event of the driving style: hundredths of standard gravity, tenths of a second.
    package init(_ event: DrivingEvent) {
        self.init(
            kind: Kind(rawValue: event.kind.rawValue), peakG: event.peakG?.rounded(toDecimals: 2),
            duration: event.durationSeconds.rounded(toDecimals: 1, as: .duration), startedAt: event.start)
    }
}

extension DrivingTotals {
    /// Creates the wire form of the driving style of a trip.
    package init(_ summary: DrivingSummary) {
        self.init(
            acceleration: summary.accelerationCount, braking: summary.brakingCount,
            cornering: summary.corneringCount,
            maximumSpeed: summary.maximumMetersPerSecond?.rounded(toDecimals: 1, as: .speed),
            overspeedShare: summary.overspeedShare?.rounded(toDecimals: 3))
    }
}
