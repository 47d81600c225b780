import OdographModel

/// A tracker that is read from a saved state.
///
/// This is a class, so that the tracker in it is not copied and the compiler generates no code to copy it.
public final class SavedTracker: Sendable, Decodable {
    /// The tracker, as far as it can be read.
    public let tracker: Tracker
    /// Whether it is the whole tracker that was saved.
    public let isWhole: Bool

    /// Reads the whole tracker. If a part is of another form, reads the other parts, and leaves that part as in a new
    /// tracker.
    /// - Throws: `DecodingError` if the odometer cannot be read.
    public required init(from decoder: any Decoder) throws {
        if let whole = try? Tracker(from: decoder) {
            (tracker, isWhole) = (whole, true)
            return
        }
        let parts = try decoder.container(keyedBy: Tracker.CodingKeys.self)
        var known = Tracker(
            configuration: (try? parts.decode(TrackingConfiguration.self, forKey: .configuration))
                ?? TrackingConfiguration())
        known.odometer = try parts.decode(Odometer.self, forKey: .odometer)
        known.timeline.events.lastMeters = known.odometer.totalMeters
        parts.read(.timeline, into: &known.timeline)
        parts.read(.geofences, into: &known.geofences)
        parts.read(.sampler, into: &known.sampler)
        if let agent = try? parts.nestedContainer(keyedBy: AgentState.CodingKeys.self, forKey: .agent) {
            agent.read(.counters, into: &known.agent.counters)
            agent.read(.clock, into: &known.agent.clock)
            agent.read(.timeEstimator, into: &known.agent.timeEstimator)
            agent.read(.provider, into: &known.agent.provider)
            agent.read(.isTimeKnown, into: &known.agent.isTimeKnown)
            agent.read(.schedule, into: &known.agent.schedule)
            agent.read(.owesOpening, into: &known.agent.owesOpening)
            agent.read(.battery, into: &known.agent.battery)
            agent.read(.boot, into: &known.agent.boot)
            agent.read(.idling, into: &known.agent.idling)
            agent.read(.driving, into: &known.agent.driving)
            agent.read(.beacons, into: &known.agent.beacons)
        }
        known.timeline.applyOffScheduleRule(known.agent.schedule.rule)
        if let recent = try? parts.nestedContainer(keyedBy: RecentState.CodingKeys.self, forKey: .recent) {
            recent.read(.filter, into: &known.recent.filter)
            recent.read(.motion, into: &known.recent.motion)
            recent.read(.frozenFixes, into: &known.recent.frozenFixes)
            recent.read(.jumps, into: &known.recent.jumps)
            recent.read(.windows, into: &known.recent.windows)
            recent.read(.movement, into: &known.recent.movement)
            recent.read(.requests, into: &known.recent.requests)
            recent.read(.undated, into: &known.recent.undated)
            recent.read(.venue, into: &known.recent.venue)
            recent.read(.vehicle, into: &known.recent.vehicle)
            recent.read(.driving, into: &known.recent.driving)
        }
        (tracker, isWhole) = (known, false)
    }
}

extension KeyedDecodingContainer {
    /// Reads a value, or leaves it unchanged if it is absent or cannot be read.
    fileprivate func read(_ key: Key, into value: inout some Decodable) {
        value = (try? decode(type(of: value), forKey: key)) ?? value
    }
}
