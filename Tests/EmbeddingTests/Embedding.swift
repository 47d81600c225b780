import Logging
import Odograph
import OdographLifecycle
import OdographOperator
import ServiceLifecycle
import Synchronization
import UnixSignals

// The examples of the article on embedding, which contains the first one. A test compares the two.

/// Follows the vehicle until it has driven a distance.
func follow(_ path: String, forMeters distance: Double) async throws {
    let configuration = try ConfigurationFile.load(path)
    let agent = Agent(configuration: configuration)
    try await agent.start()
    for await event in await agent.locations {
        let odometer = await agent.odometer
        print(event.timestamp.iso8601, event.coords.latitude, event.coords.longitude, event.isMoving, odometer.meters)
        if odometer.meters > distance { break }
    }
    await agent.stop()
}

/// Collects the newest revision of every event.
func timeline(of agent: Agent, while goesOn: ([String: TimelineEventRevision]) -> Bool) async throws {
    var events: [String: TimelineEventRevision] = [:]
    func take(_ event: TimelineEventRevision) {
        let known = events[event.eventID]?.lastUpdateDate
        if known.map({ $0 < event.lastUpdateDate }) ?? true { events[event.eventID] = event }
    }
    let updates = await agent.timelineUpdates
    for event in try await agent.timelineUpdates(after: Timestamp(millisecondsSinceEpoch: 0)) { take(event) }
    for await event in updates {
        take(event)
        guard goesOn(events) else { break }
    }
}

/// Returns the events of the last 24 h, one line an event.
func lastDay(of agent: Agent) async throws -> [String] {
    try await agent.timelineEvents(from: .now.advanced(bySeconds: -86_400), to: .now).map { event in
        let end = event.endDate?.iso8601 ?? "now"
        return "\(event.type) from \(event.startDate.iso8601) to \(end), \(event.distanceInMeters ?? 0) m"
    }
}

/// Starts the agent, or returns the reasons why it cannot start.
func begin(_ text: String, in folder: String) async -> (agent: Agent?, obstacles: [String]) {
    do {
        let agent = Agent(configuration: try ConfigurationFile.parse(text, folder: folder))
        try await agent.start()
        return (agent, [])
    } catch let error as ConfigurationError {
        return (nil, error.issues.map { "\($0.path): \($0.problem)" })
    } catch StoreError.inUse(let path) {
        return (nil, ["\(path) is another agent's"])
    } catch {
        return (nil, ["\(error)"])
    }
}

/// Returns the distances of the trips of a recorded drive in metres, by event.
func trips(of path: String) throws -> [String: Double] {
    var trips: [String: Double] = [:]
    var analyzer = try Analyzer(path: path)
    while let record = try analyzer.next() {
        guard case .timeline(let message) = record.message else { continue }
        let event = message.timelineEvent
        trips[event.eventID] = event.type == .inTransport ? event.distanceInMeters : nil
    }
    return trips
}

/// Runs the agent beside other services until the process receives a signal to stop.
func serve(_ path: String) async throws {
    let agent = Agent(configuration: try ConfigurationFile.load(path))
    let logger = Logger(label: "box")
    let group = ServiceGroup(
        services: [AgentService(agent)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
}

/// Lets the driver decide whether trips outside of the schedule are tracked.
func ask(_ agent: Agent, isOnDuty: @escaping @Sendable () -> Bool) async throws {
    await agent.setShouldTrackOutsideSchedule { isOnDuty() }
    await agent.setOdometer(toMeters: 120_345)
    try await agent.setExtras(["driver": .string("42")])
    if let best = await agent.currentPosition(samples: 5, timeoutSeconds: 20) {
        print("within", best.coords.accuracy, "metres")
    }
}

/// Tracks the working hours, and all other time with a tag.
func setWorkingHours(of agent: Agent) async throws {
    try await agent.updateTrackingSettings { settings in
        settings.schedule.expression = try Schedule("* 8-17 * * 1-5")
        settings.schedule.offSchedule = OffScheduleRule(mode: .tag, tag: "after work")
        settings.core.stationary.intervalSeconds = 180
    }
}

/// Adds a geofence without a broker.
func watchDepot(with agent: Agent) async throws {
    guard let center = Coordinate(latitudeDegrees: 40.4168, longitudeDegrees: -3.7038) else { return }
    var depot = Geofence(identifier: "depot", shape: .circle(try Circle(center: center, radiusMeters: 100)))
    depot.rule.notifiesOnDwell = true
    try await agent.addGeofences([depot])
    for geofence in await agent.geofences { print(geofence.identifier, geofence.level, geofence.isInside) }
}

/// Removes the geofence.
func forgetDepot(of agent: Agent) async throws {
    try await agent.removeGeofences(withIdentifiers: ["depot"])
}

/// The positions of a modem or a phone, which another part of the program reads.
final class ModemSource: PositionSource {
    private struct State {
        var consumer: AsyncThrowingStream<SourceEvent, any Error>.Continuation?
        var counters = SourceCounters()
        var ordinal: Int64 = 0
    }

    let name = "the modem"
    private let state = Mutex(State())
    private let clock = SystemAgentClock()

    var counters: SourceCounters { state.withLock { $0.counters } }

    func events() -> AsyncThrowingStream<SourceEvent, any Error> {
        // An agent that is late gets the newest positions.
        let (stream, consumer) = AsyncThrowingStream.makeStream(
            of: SourceEvent.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(60))
        state.withLock { $0 = State(consumer: consumer) }
        emit(.state(.available, at: clock.now(), detail: "the modem is on"))
        return stream
    }

    /// Gives the agent a position.
    /// - Parameter millisecondsSince1970: The time that the modem states, UTC; nil if it does not know the date yet.
    func report(
        latitudeDegrees: Double, longitudeDegrees: Double, errorMeters: Double?, speedMetersPerSecond: Double?,
        headingDegrees: Double?, millisecondsSince1970: Int64?
    ) {
        guard
            let coordinate = Coordinate(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
        else { return }
        let received = clock.now()
        let fix = Fix(
            timestamp: millisecondsSince1970.map(Timestamp.init(millisecondsSinceEpoch:)) ?? received.systemTime,
            received: received, coordinate: coordinate, accuracyMeters: errorMeters,
            speedMetersPerSecond: speedMetersPerSecond, headingDegrees: headingDegrees)
        emit(millisecondsSince1970 == nil ? .undatedFix(fix) : .fix(fix))
    }

    /// Tells the agent that the modem is off.
    func lose() { emit(.state(.lost, at: clock.now(), detail: "the modem is off")) }

    private func emit(_ content: SourceEvent.Content) {
        state.withLock { state in
            if case .state = content {} else { state.counters.fixes += 1 }
            state.ordinal += 1
            state.consumer?.yield(SourceEvent(content, ordinal: state.ordinal))
        }
    }
}

/// Tracks with positions that the program has itself. The source of the configuration file is not used.
func track(_ configuration: AgentConfiguration, with modem: ModemSource) async throws -> Agent {
    let agent = Agent(configuration: configuration, source: modem)
    try await agent.start()
    return agent
}
