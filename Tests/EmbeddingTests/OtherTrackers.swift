import Logging
import Odograph

// The members that take the place of those of other trackers. The comment of a line is a name as the tables of the
// article on other trackers have it, and the line uses that member. A test compares the names, and runs the code.

/// The newest values of an agent, by the names of the members.
func currentValues(of agent: Agent) async throws -> [String: any Sendable] {
    [
        "trackingEnabled": await agent.isTrackingEnabled,  // Agent.isTrackingEnabled
        "locationServicesEnabled": await agent.isPositionAvailable,  // Agent.isPositionAvailable
        "isWithinSchedule": await agent.isWithinSchedule,  // Agent.isWithinSchedule
        "locations": await agent.recentLocations,  // Agent.recentLocations
        "lastLocation": await agent.lastLocation,  // Agent.lastLocation
        "odometer": await agent.odometer,  // Agent.odometer
        "stop": await agent.stationaryLocation(  // Agent.stationaryLocation(intervalSeconds:after:)
            intervalSeconds: 60, after: nil),
        "broker": agent.configuration.broker.url,  // BrokerConfiguration.url
    ]
}

/// Creates an agent, and its streams before it starts.
func tracker(
    _ configuration: AgentConfiguration, logger: Logger
) async -> (Agent, AsyncStream<LocationEvent>, AsyncStream<TimelineEventRevision>) {
    let agent = Agent(  // Agent.init(configuration:stopsAtEnd:clock:logger:)
        configuration: configuration, logger: logger)
    return (
        agent,
        await agent.locations,  // Agent.locations
        await agent.timelineUpdates  // Agent.timelineUpdates
    )
}

/// Changes the settings and the values that a program controls.
func control(_ agent: Agent) async throws {
    try await agent.setTrackingEnabled(true)  // Agent.setTrackingEnabled(_:)
    try await agent.setExtras(["driver": .string("42")])  // Agent.setExtras(_:)
    await agent.setOdometer(toMeters: 0)  // Agent.setOdometer(toMeters:)
    await agent.setShouldTrackOutsideSchedule { true }  // Agent.setShouldTrackOutsideSchedule(_:)
    try await agent.updateTrackingSettings { settings in  // Agent.updateTrackingSettings(_:)
        settings.core.desiredAccuracyMeters = 100  // TrackingConfiguration.desiredAccuracyMeters
        settings.core.stationary.distanceMeters = 100  // StationaryRule.distanceMeters
        settings.core.stationary.intervalSeconds = 60  // StationaryRule.intervalSeconds
        settings.core.stationary.speedMetersPerSecond = 1  // StationaryRule.speedMetersPerSecond
        settings.schedule.expression = try Schedule("* * * * *")  // TrackingSchedule.expression
        settings.schedule.zone = .utc  // TrackingSchedule.zone
        settings.schedule.offSchedule.mode = .tag  // OffScheduleRule.mode
        settings.schedule.offSchedule.tag = "after work"  // OffScheduleRule.tag
    }
    print(await agent.trackingSettings.schedule.offSchedule)  // TrackingSchedule.offSchedule
    print(await agent.trackingSettings)  // Agent.trackingSettings
}

/// Returns the parts of a location event.
func parts(of location: LocationEvent) -> [any Sendable] {
    [
        location.timestamp,  // LocationEvent.timestamp
        location.uuid,  // LocationEvent.uuid
        location.age,  // LocationEvent.age
        location.coords,  // LocationEvent.coords
        location.coords.latitude,  // LocationCoordinates.latitude
        location.coords.longitude,  // LocationCoordinates.longitude
        location.coords.accuracy,  // LocationCoordinates.accuracy
        location.coords.speed,  // LocationCoordinates.speed
        location.coords.heading,  // LocationCoordinates.heading
        location.coords.altitude,  // LocationCoordinates.altitude
        location.coords.ellipsoidalAltitude,  // LocationCoordinates.ellipsoidalAltitude
        location.activity,  // LocationEvent.activity
        location.activity.type == .inVehicle,  // ActivityReading.type
        location.activity.confidence,  // ActivityReading.confidence
        location.battery,  // LocationEvent.battery
        location.battery?.level,  // BatteryReading.level
        location.battery?.isCharging,  // BatteryReading.isCharging
        location.odometer,  // LocationEvent.odometer
        location.odometerError,  // LocationEvent.odometerError
        location.event == .motionChange,  // LocationEvent.event
        location.geofence,  // LocationEvent.geofence
        location.geofence?.identifier,  // GeofenceTrigger.identifier
        location.geofence?.action == .enter,  // GeofenceTrigger.action
        location.isMoving,  // LocationEvent.isMoving
        location.sample,  // LocationEvent.sample
        location.mock,  // LocationEvent.mock
        location.extras,  // LocationEvent.extras
    ]
}

/// Returns a description of each event of a period.
func descriptions(of agent: Agent, from start: Timestamp, to end: Timestamp) async throws -> [String] {
    let all = Timestamp(millisecondsSinceEpoch: 0)  // Timestamp.init(millisecondsSinceEpoch:)
    let updates = try await agent.timelineUpdates(after: all)  // Agent.timelineUpdates(after:)
    let events = try await agent.timelineEvents(from: start, to: end)  // Agent.timelineEvents(from:to:)
    for event in updates {
        guard
            let newest = try await agent.timelineEvent(  // Agent.timelineEvent(id:)
                id: event.eventID)
        else { continue }
        print(newest.lastUpdateDate)  // TimelineEventRevision.lastUpdateDate
    }
    return events.map { event in
        let name = event.eventID  // TimelineEventRevision.eventID
        let begin = event.startDate  // TimelineEventRevision.startDate
        let end = event.endDate  // TimelineEventRevision.endDate
        let isWithdrawn = event.withdrawn ?? false  // TimelineEventRevision.withdrawn
        let text = "\(name) \(begin) \(end.map { "\($0)" } ?? "now") \(isWithdrawn)"
        switch event.type {  // TimelineEventRevision.type
        case .inTransport:  // TimelineEventRevision.Kind.inTransport
            let mode = event.transportMode ?? .unknown  // TimelineEventRevision.transportMode
            let meters = event.distanceInMeters ?? 0  // TimelineEventRevision.distanceInMeters
            let line = event.waypoints ?? []  // TimelineEventRevision.waypoints
            return "\(text): \(mode), \(meters) m, \(line.count) waypoints"
        case .stationary:  // TimelineEventRevision.Kind.stationary
            let place = event.location  // TimelineEventRevision.location
            let venue = event.venue  // TimelineEventRevision.venue
            return "\(text): stop at \(place.map { "\($0)" } ?? "unknown"), \(venue?.identifier ?? "no geofence")"
        case .offTheGrid:  // TimelineEventRevision.Kind.offTheGrid
            return "\(text): \(event.reason ?? .noFix)"  // TimelineEventRevision.reason
        case .unknown: return text  // TimelineEventRevision.Kind.unknown
        default: return text
        }
    }
}

/// Returns the best of some samples, and the stop at the end of a track.
func positions(of agent: Agent, track: [LocationEvent]) async -> [LocationEvent?] {
    [
        await agent.currentPosition(  // Agent.currentPosition(samples:timeoutSeconds:isPersisted:)
            samples: 1, timeoutSeconds: 20, isPersisted: false),
        Agent.stationaryLocation(  // Agent.stationaryLocation(among:intervalSeconds:after:rule:)
            among: track, intervalSeconds: 60, after: nil, rule: StationaryRule()),
    ]
}
