import OdographCivilTime
import OdographModel
import OdographTracking

/// Stops a debug build whose analysis makes a timeline that contradicts itself. A release build checks nothing.
struct TimelineCheck {
    private let fastest: Double
    private var events: [TimelineEventID: TimelineEvent] = [:]
    private var lastTime: Timestamp?
    private var hasDateSteppedBack = false

    /// - Parameter filter: the filter of the analysis.
    init(_ filter: FilterRule) { fastest = filter.fastestVehicleMetersPerSecond }

    /// Takes a position of the capture.
    mutating func note(_ fix: Fix) {
        hasDateSteppedBack = hasDateSteppedBack || lastTime.map { fix.timestamp < $0 } ?? false
        lastTime = fix.timestamp
    }

    /// Takes a revision.
    mutating func note(_ event: Disclosed<TimelineEvent>) {
        #if DEBUG
            events[event.id] = event.value
        #endif
    }

    /// Checks the last revisions at the end of the capture.
    func assertRules(odometerMeters: Double) {
        let violations = violations(odometerMeters: odometerMeters)
        assert(violations.isEmpty, "the timeline contradicts itself: \(violations)")
    }

    /// Two trips of one mode can touch where the date went back: the earlier one is final.
    private func violations(odometerMeters: Double) -> [TimelineViolation] {
        TimelineInvariants.violations(in: Array(events.values), odometerMeters: odometerMeters, fastest: fastest)
            .filter { $0.rule != .modeChange || !hasDateSteppedBack }
    }
}
