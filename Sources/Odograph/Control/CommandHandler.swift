import CivilTime
import Link
import OdographJSON
import Positioning
import Store
import Tracking
import Wire

/// Answers the command language: the same for the control socket and for whoever else may ask.
struct CommandHandler: Sendable {
    /// A position request is given up after this long at most, seconds.
    private static let maximumTimeoutSeconds = 300.0

    let parts: AgentParts
    let configuration: AgentConfiguration
    let problems: ProblemRegistry
    let clock: any AgentClock

    /// Does what a command says, if it can be done.
    func handle(_ request: CommandRequest) async -> CommandResponse {
        // Before anything else: two agents may share a control socket by mistake.
        let own = configuration.address.path
        if let asked = request.address, asked != own {
            return request.failure("this is the agent \(own), and the command is for \(asked); it was not done")
        }
        let now = clock.now().systemTime
        if let expiry = request.expiresAt, expiry < now {
            return request.failure("not done: it expired at \(expiry.iso8601), and it is \(now.iso8601) here")
        }
        do {
            switch CommandAction(rawValue: request.action) {
            case .getStatus: return request.success(try JSONCoder.members(of: await status()))
            case .getCurrentPosition: return try await currentPosition(request)
            case .getLocations: return try await locations(request)
            case .getTimeline: return try await timeline(request)
            case .getTimelineUpdates: return try await timelineUpdates(request)
            case .getGeofences: return try await geofences(request)
            case .getOdometer: return request.success(Self.members(of: await parts.recorder.odometer))
            case .setOdometer: return try await setOdometer(request)
            case .setExtras: return try await setExtras(request)
            case .getConfiguration: return request.success(try await parts.remote.members())
            case .flush: return try await flush(request)
            case nil: return request.failure(Self.unknownActionMessage(request.action))
            }
        } catch let refusal as CommandError {
            return request.failure(refusal.message)
        } catch {
            return request.failure("\(error)")
        }
    }

    /// What the agent says of itself.
    func status() async throws -> AgentStatus {
        let statistics = try await parts.store.statistics()
        let odometer = await parts.recorder.odometer
        let counters = await parts.recorder.counters
        let source = parts.source.counters
        return AgentStatus(
            version: Build.version,
            address: configuration.address.path,
            timestamp: clock.now().systemTime, broker: "\(configuration.broker.url)",
            isConnected: await parts.publisher.isConnected, source: parts.source.name, sourceFixes: source.fixes,
            sourceSkipped: Dictionary(uniqueKeysWithValues: source.skipped.map { ($0.key.rawValue, $0.value) }),
            acceptedFixes: counters.accepted, rejectedFixes: counters.rejected,
            isTracking: await parts.recorder.isTrackingEnabled, isMoving: await parts.recorder.isMoving,
            odometer: odometer.meters.rounded(toDecimals: 1),
            odometerError: odometer.errorMeters.rounded(toDecimals: 1),
            geofences: GeofenceStatus(
                count: await parts.recorder.geofences.count, inside: await parts.recorder.geofencesInside.count),
            location: await parts.recorder.lastLocation,
            store: StoreStatus(path: configuration.store.path, statistics), problems: problems.current)
    }

    // MARK: Actions

    private func currentPosition(_ request: CommandRequest) async throws -> CommandResponse {
        let timeout = try request.number("timeout", default: 30, in: 1...Self.maximumTimeoutSeconds)
        if let mode = await parts.recorder.scheduleReport.offSchedule, mode != .tag {
            return request.failure(
                "the schedule is closed and off_schedule says \"\(mode.rawValue)\": no position is told")
        }
        let samples = try request.number("samples", default: 3, in: 1...100)
        let found = await parts.recorder.currentPosition(
            samples: Int(samples), timeoutSeconds: timeout, isPersisted: true)
        guard let found else {
            return request.failure(
                "no acceptable position within \(Int(timeout)) s; see get_status for what the source says")
        }
        return request.success(["location": try JSONCoder.value(of: found)])
    }

    /// Has what waits in memory and for the next attempt to connect go out now. A connection that stands is left alone: its
    /// end would be told as a loss, and would cost what the broker is just about to send.
    private func flush(_ request: CommandRequest) async throws -> CommandResponse {
        await parts.recorder.commit()
        if await !parts.publisher.isConnected { parts.session.reconnect() }
        return request.success(["depth": .integer(Int64(try await parts.store.statistics().depth))])
    }

    private func locations(_ request: CommandRequest) async throws -> CommandResponse {
        let from = try request.time("from") ?? .earliest
        let to = try request.time("to") ?? .latest
        let limit = try request.number("limit", default: 100, in: 1...10_000)
        let payloads = try await parts.store.locations(from: from, to: to, limit: Int(limit))
        let events = try LocationEvent.decodeStored(payloads).map { try JSONCoder.value(of: $0) }
        return request.success(["locations": .array(events)])
    }

    private func setOdometer(_ request: CommandRequest) async throws -> CommandResponse {
        let meters = try request.number("value", default: nil, in: OdometerReading.settableMeters)
        await parts.recorder.setOdometer(meters: meters)
        return request.success(Self.members(of: await parts.recorder.odometer))
    }

    private func setExtras(_ request: CommandRequest) async throws -> CommandResponse {
        guard case .object(let members)? = request.parameters["value"] ?? request.parameters["extras"] else {
            throw CommandError(message: "set_extras needs \"value\", an object; {} takes the earlier ones back")
        }
        return request.success(["extras": .object(try await parts.remote.setExtras(members))])
    }

    private static func unknownActionMessage(_ action: String) -> String {
        let names = CommandAction.names
        let hint = SpellingSuggestion.closestMatch(to: action, among: names).map { "did you mean \"\($0)\"?" }
        return "there is no action \"\(action)\"; \(hint ?? "there are " + names.joined(separator: ", "))"
    }

    private static func members(of odometer: OdometerReading) -> [String: JSONValue] {
        [
            "odometer": .number(odometer.meters.rounded(toDecimals: 1)),
            "odometer_error": .number(odometer.errorMeters.rounded(toDecimals: 1)),
        ]
    }
}
