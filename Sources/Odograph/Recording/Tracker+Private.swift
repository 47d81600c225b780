import CivilTime
import Tracking

extension Tracker {
    /// A tracker that knows how far the vehicle went, and nothing of where it was.
    func withoutPositions(at moment: Moment) -> Tracker {
        var tracker = Tracker(configuration: configuration)
        _ = tracker.handle(.odometer(meters: odometerMeters, at: moment))
        return tracker
    }
}
