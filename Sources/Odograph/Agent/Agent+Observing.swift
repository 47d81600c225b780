import CivilTime
import Positioning
import Tracking
import Wire

/// What an agent knows: at present, and from now on.
extension Agent {
    /// The location events from now on: records with their `seq` once they are committed, those of geofences among them,
    /// and the samples of a position request. They end when the agent stops. Whoever asks before it starts misses none; a
    /// listener that is behind by a thousand loses the oldest.
    public var locations: AsyncStream<LocationEvent> {
        hasStopped ? AsyncStream { $0.finish() } : broadcasts.locations.subscribe()
    }

    /// The revisions of the timeline's events from now on, with a `lastUpdateDate` that never decreases. What a query that is
    /// made after this was asked for does not contain, comes here. They end when the agent stops; whoever asks before it starts
    /// misses none. A listener that is behind by a thousand revisions loses the oldest; ``timelineUpdates(after:)`` has what
    /// counts of them.
    public var timelineUpdates: AsyncStream<TimelineEventRevision> {
        hasStopped ? AsyncStream { $0.finish() } : broadcasts.timeline.subscribe()
    }

    /// The last believed position as an event would say it now; nil before the first, and while the agent does not run.
    public var lastLocation: LocationEvent? {
        get async { await parts?.recorder.lastLocation }
    }

    /// Whether the vehicle moves; false while the agent does not run.
    public var isMoving: Bool {
        get async { await parts?.recorder.isMoving ?? false }
    }

    /// The distance travelled, and its bound; 0 ± 0 while the agent does not run.
    public var odometer: OdometerReading {
        get async { await parts?.recorder.odometer ?? OdometerReading(meters: 0, errorMeters: 0) }
    }

    /// Whether tracking is turned on, within its schedule or not; false while the agent does not run.
    public var isTracking: Bool {
        get async { await parts?.recorder.isTrackingEnabled ?? false }
    }

    /// Whether tracking is on by the schedule now; true where there is no schedule.
    public var isWithinSchedule: Bool {
        get async { await parts?.recorder.isWithinSchedule ?? configuration.tracking.schedule.isOpen(at: nil) }
    }

    /// Whether the source has ended, as a replay does, and all that it said is recorded.
    public var hasSourceEnded: Bool {
        get async { await parts?.recorder.hasSourceEnded ?? true }
    }

    /// What is wrong at present, the oldest first; what was wrong in the end where it has stopped.
    public var currentProblems: [Problem] {
        get async { problems.current }
    }
}
