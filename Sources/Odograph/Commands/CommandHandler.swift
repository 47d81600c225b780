import OdographCivilTime
import OdographLink
import OdographJSON
import OdographModel
import OdographPositioning
import OdographSettings
import OdographStore
import OdographTracking
import OdographWire

/// Executes commands, from the control socket and from MQTT.
struct CommandHandler: Sendable {
    /// The maximum timeout of a position request, seconds.
    private static let maximumTimeoutSeconds = 300.0

    let store: AgentStore
    let pipeline: InputPipeline
    let remote: RemoteConfiguration
    let geofences: RemoteGeofences
    let source: any PositionSource
    let client: MQTTClient
    let publisher: Publisher
    let configuration: AgentConfiguration
    let rollCall: RollCallResponder
    let credentials: VehicleCredentials
    let renewal: CertificateRenewal
    let problems: ProblemRegistry
    let clock: any AgentClock

    /// Executes a command and returns its response.
    func handle(_ request: CommandRequest) async -> CommandResponse {
        // Checked first, because two agents may share a control socket by mistake.
        if let problem = request.problem(for: configuration.address, at: clock.now().systemTime) {
            return request.failure(problem)
        }
        do {
            switch request.action {
            case .getStatus: return request.success(try JSONCoder.members(of: await status()))
            case .getCurrentPosition: return try await currentPosition(request)
            case .getLocations: return try await locations(request)
            case .getTimeline: return try await timeline(request)
            case .getTimelineUpdates: return try await timelineUpdates(request)
            case .getGeofences: return try await geofences(request)
            case .getOdometer: return request.success(Self.members(of: await pipeline.odometer))
            case .setOdometer: return try await setOdometer(request)
            case .setExtras: return try await setExtras(request)
            case .setDriver, .setTag, .setSignals: return try await program(request)
            case .getConfiguration: return request.success(try await remote.members())
            case .flush: return try await flush(request)
            case .rollCall:
                await rollCall.ask()
                return request.success(["within": .number(RollCallResponder.longestSeconds)])
            case .renewCertificate:
                try await renewal.renew()
                return request.success(["certificates": try JSONCoder.value(of: credentials.ends ?? CertificateEnds())])
            default: return request.failure(Self.unknownActionMessage(request.action.rawValue))
            }
        } catch let refusal as CommandError {
            return request.failure(refusal.message)
        } catch {
            return request.failure("\(error)")
        }
    }

    /// Returns the status of the agent.
    func status() async throws -> AgentStatus {
        let statistics = try await store.statistics()
        return await status(
            of: pipeline, statistics, isConnected: publisher.isConnected, budget: publisher.budgetState)
    }

    /// Returns the status at one moment of the pipeline. In several turns, the status could say that a problem has
    /// ended, with an odometer from before the end.
    private func status(
        of pipeline: isolated InputPipeline, _ statistics: StoreStatistics, isConnected: Bool, budget: BudgetState?
    ) -> AgentStatus {
        let odometer = pipeline.odometer
        let counters = pipeline.counters
        let sourceCounters = source.counters
        return AgentStatus(
            version: Build.version,
            address: configuration.address.path,
            timestamp: clock.now().systemTime, broker: client.broker,
            isConnected: isConnected, source: source.name, sourceFixes: sourceCounters.fixes,
            sourceSkipped: Dictionary(uniqueKeysWithValues: sourceCounters.skipped.map { ($0.key.rawValue, $0.value) }),
            acceptedFixes: counters.accepted, rejectedFixes: counters.rejected,
            isTracking: pipeline.isTrackingEnabled, isMoving: pipeline.isMoving,
            odometer: odometer.meters.rounded(toDecimals: 1),
            odometerError: odometer.errorMeters.rounded(toDecimals: 1),
            geofences: GeofenceStatus(
                count: pipeline.geofences.count, inside: pipeline.geofencesInside.count),
            location: pipeline.lastLocation,
            driver: pipeline.driver, tag: pipeline.tag, isPrivate: pipeline.isPrivate ? true : nil,
            store: StoreStatus(path: configuration.store.path, statistics), budget: budget,
            certificates: credentials.ends, problems: problems.current)
    }

    // MARK: Actions

    private func currentPosition(_ request: CommandRequest) async throws -> CommandResponse {
        let timeout = try request.number("timeout", default: 30, in: 1...Self.maximumTimeoutSeconds)
        if let mode = await pipeline.scheduleReport.offSchedule, mode != .tag {
            return request.failure(
                "the schedule is closed and off_schedule.mode is \"\(mode.rawValue)\", or set_tag has made the time "
                    + "private, so no position is available")
        }
        let samples = try request.number("samples", default: 3, in: 1...100)
        let found = await pipeline.currentPosition(
            samples: Int(samples), timeoutSeconds: timeout, isPersisted: true)
        guard let found else {
            return request.failure(
                "no valid position within \(Int(timeout)) s; check the source with get_status")
        }
        return request.success(["location": try JSONCoder.value(of: found)])
    }

    /// Commits pending records and ends the delay before the next connection attempt. An existing connection is kept:
    /// to end it would be reported as a loss, and would interrupt the broker's own messages.
    private func flush(_ request: CommandRequest) async throws -> CommandResponse {
        await pipeline.commit()
        if await !publisher.isConnected { client.reconnect() }
        return request.success(["depth": .integer(Int64(try await store.statistics().depth))])
    }

    private func locations(_ request: CommandRequest) async throws -> CommandResponse {
        let from = try request.time("from") ?? .earliest
        let to = try request.time("to") ?? .latest
        let limit = try request.number("limit", default: 100, in: 1...10_000)
        let payloads = try await store.locations(from: from, to: to, limit: Int(limit))
        let events = try LocationEvent.decodeStored(payloads).map { try JSONCoder.value(of: $0) }
        return request.success(["locations": .array(events)])
    }

    private func setOdometer(_ request: CommandRequest) async throws -> CommandResponse {
        let meters = try request.number("value", default: nil, in: OdometerReading.settableMeters)
        await pipeline.setOdometer(meters: meters)
        return request.success(Self.members(of: await pipeline.odometer))
    }

    private func setExtras(_ request: CommandRequest) async throws -> CommandResponse {
        guard case .object(let members)? = request.parameters["value"] ?? request.parameters["extras"] else {
            throw CommandError(message: "set_extras needs \"value\", an object; {} removes the earlier extras")
        }
        let extras = try await remote.setExtras(
            members, isPersistent: try request.flag("persist", default: true))
        return request.success(["extras": .object(extras)])
    }

    private static func unknownActionMessage(_ action: String) -> String {
        let names = CommandRequest.Action.names
        let hint = SpellingSuggestion.closestMatch(to: action, among: names).map { "did you mean \"\($0)\"?" }
        return "unknown action \"\(action)\"; \(hint ?? "use one of " + names.joined(separator: ", "))"
    }

    private static func members(of odometer: OdometerReading) -> [String: JSONValue] {
        [
            "odometer": .number(odometer.meters.rounded(toDecimals: 1)),
            "odometer_error": .number(odometer.errorMeters.rounded(toDecimals: 1)),
        ]
    }
}
