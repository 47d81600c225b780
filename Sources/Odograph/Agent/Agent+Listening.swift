import CivilTime
import Positioning
import Tracking
import Wire

/// What an agent knows, and what it can be told.
extension Agent {
    // MARK: What it knows

    /// The location events from now on: records with their `seq` once they are committed, those of geofences among them,
    /// and the samples of a position request. They end when the agent stops. Whoever asks before it starts misses none; a
    /// listener that is behind by a thousand loses the oldest.
    public var locations: AsyncStream<LocationEvent> {
        hasStopped ? AsyncStream { $0.finish() } : feeds.locations.listen()
    }

    /// The revisions of the timeline's events from now on, with a `lastUpdateDate` that never decreases. What a query that is
    /// made after this was asked for does not contain, comes here. They end when the agent stops; whoever asks before it starts
    /// misses none. A listener that is behind by a thousand revisions loses the oldest; ``timelineUpdates(after:)`` has what
    /// counts of them.
    public var timelineUpdates: AsyncStream<TimelineEventRevision> {
        hasStopped ? AsyncStream { $0.finish() } : feeds.timeline.listen()
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
    public var odometer: Odometer {
        get async { await parts?.recorder.odometer ?? Odometer(meters: 0, errorMeters: 0) }
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
    public var isAtEnd: Bool {
        get async { await parts?.recorder.hasSourceEnded ?? true }
    }

    /// What is wrong at present, the oldest first; what was wrong in the end where it has stopped.
    public var currentProblems: [Problem] {
        get async { await problems.current }
    }

    // MARK: What it can be told

    /// Sets the odometer; its error begins again at 0. Nothing happens while the agent does not run.
    /// - Parameter meters: within ``Odometer/settableMeters``; another value is not taken.
    public func setOdometer(_ meters: Double) async {
        guard Odometer.settableMeters.contains(meters) else { return }
        await parts?.recorder.setOdometer(meters: meters)
    }

    /// Turns tracking on or off, over what the configuration says, until the agent is started anew. Nothing
    /// happens while it does not run.
    public func setTracking(_ isOn: Bool) async {
        await parts?.remote.overrideTracking(isOn)
    }

    /// Hangs something on every record from now on, over the configuration's extras and in place of what was hung before; it
    /// is kept for the next start. Nothing happens while the agent does not run.
    /// - Parameter extras: laid over the others by their keys, where `null` takes one away; empty: nothing.
    /// - Throws: `StoreError` where it cannot be kept, `EncodingError` where a number is not finite. What was hung before
    ///   stays then.
    public func setExtras(_ extras: [String: JSONValue]) async throws {
        _ = try await parts?.remote.setExtras(extras)
    }

    /// Has somebody asked whether to track although the schedule is closed, in mode `stop`: as it closes, as the agent
    /// starts, and with each position from then on, so that the answer may change. nil asks nobody. What is recorded on a
    /// yes has the tag of `off_schedule`. In mode `private` nobody is asked: that is a promise to the driver.
    ///
    /// - Parameter question: called on the store's thread, up to several times a second, so it must be quick.
    public func setShouldTrackOutsideSchedule(_ question: (@Sendable () -> Bool)?) async {
        shouldTrackOutsideSchedule = question
        await parts?.recorder.askOutsideSchedule(question)
    }

    /// Takes samples and gives the best.
    /// - Parameters:
    ///   - samples: how many are compared, ≥ 1; a very good one ends the request at once.
    ///   - timeoutSeconds: the best so far is the answer after this long, 0 to 86,400; more is taken as a day.
    ///   - isPersisted: whether the answer is also recorded and published.
    /// - Returns: nil where no acceptable position came in time, or the agent does not run.
    public func currentPosition(
        samples: Int = 3, timeoutSeconds: Double = 30, isPersisted: Bool = true
    ) async -> LocationEvent? {
        await parts?.recorder.currentPosition(
            samples: max(samples, 1), timeoutSeconds: timeoutSeconds > 0 ? min(timeoutSeconds, 86_400) : 0,
            isPersisted: isPersisted)
    }
}
