import OdographCivilTime
import OdographPositioning
import OdographTracking
import OdographWire

/// The state of an agent: its current values and its event streams.
extension Agent {
    /// The location events from now on: committed records with their `seq`, including geofence events, and the samples
    /// of position requests.
    ///
    /// The stream ends when the agent stops. A stream requested before the start misses no event. A subscriber that is
    /// more than 1000 events behind loses the oldest.
    public var locations: AsyncStream<LocationEvent> {
        hasStopped ? AsyncStream { $0.finish() } : broadcasts.locations.subscribe()
    }

    /// The revisions of timeline events from now on. Their `lastUpdateDate` never decreases.
    ///
    /// A copy misses no revision if it subscribes first and queries afterwards. The stream ends when the agent stops. A
    /// stream requested before the start misses no revision. A subscriber that is more than 1000 revisions behind loses
    /// the oldest; ``timelineUpdates(after:)`` returns their newest versions.
    public var timelineUpdates: AsyncStream<TimelineEventRevision> {
        hasStopped ? AsyncStream { $0.finish() } : broadcasts.timeline.subscribe()
    }

    /// The last accepted position, as a location event at the current time. nil before the first one, in private time,
    /// and while the agent does not run.
    public var lastLocation: LocationEvent? {
        get async { await parts?.pipeline.lastLocation }
    }

    /// The accepted locations of the last stationary interval (`stationary.interval`), oldest first, at most about one
    /// a second, and one before the interval. They are in memory only.
    ///
    /// Empty in private time, while nothing is tracked, and while the agent does not run. Private time also erases the
    /// locations from before it.
    public var recentLocations: [LocationEvent] {
        get async { await parts?.pipeline.recentLocations ?? [] }
    }

    /// Whether the source provides positions, tracked or not. false before its first report, after its end, and while
    /// the agent does not run.
    public var isPositionAvailable: Bool {
        get async { await parts?.pipeline.isPositionAvailable ?? false }
    }

    /// Whether the vehicle is moving. false while the agent does not run, and while the schedule is closed in mode
    /// `stop` or `private`.
    public var isMoving: Bool {
        get async { await parts?.pipeline.isMoving ?? false }
    }

    /// The distance travelled and its error bound. 0 ± 0 while the agent does not run.
    public var odometer: OdometerReading {
        get async { await parts?.pipeline.odometer ?? OdometerReading(meters: 0, errorMeters: 0) }
    }

    /// Whether tracking is turned on, within its schedule or not. false while the agent does not run.
    public var isTrackingEnabled: Bool {
        get async { await parts?.pipeline.isTrackingEnabled ?? false }
    }

    /// Whether the schedule is open now. true if there is no schedule.
    public var isWithinSchedule: Bool {
        get async { await parts?.pipeline.isWithinSchedule ?? configuration.tracking.schedule.isOpen(at: nil) }
    }

    /// Whether the source has ended, as a replay does, and all its events are handled and committed.
    public var hasSourceEnded: Bool {
        get async { await parts?.pipeline.hasSourceEnded ?? true }
    }

    /// The current problems, the oldest first. After a stop: the problems at the stop.
    public var currentProblems: [Problem] {
        get async { problems.current }
    }
}
