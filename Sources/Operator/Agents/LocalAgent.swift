import Odograph
import OdographCivilTime
import OdographJSON
import OdographStore
import OdographTerminal
import OdographTracking
import OdographWire

/// Queries the agent on this machine: through its control socket while it runs, else from its database.
public struct LocalAgent: Sendable {
    /// The status of a running or a stopped agent.
    public indirect enum Status: Sendable {
        /// The response of a running agent, decoded and as received.
        case running(AgentStatus, JSONValue)
        /// The status from the database.
        case stopped(StoppedAgentStatus)
    }

    private let configuration: AgentConfiguration?
    private let connection: ControlSocketClient

    /// - Parameters:
    ///   - configuration: the agent's configuration; nil if only its socket is known.
    ///   - socketPath: a socket other than that of the configuration; nil: that of the configuration.
    public init(configuration: AgentConfiguration?, socketPath: String?) {
        self.configuration = configuration
        connection = ControlSocketClient(
            path: socketPath ?? configuration?.controlPath ?? "", address: configuration?.address.path)
    }

    /// Returns the status of the agent.
    /// - Throws: ``ControlError``, `StoreError`; `ExitError` if the agent refuses.
    public func status() async throws -> Status {
        do {
            let value = JSONValue.object(try await perform(.getStatus))
            return .running(try JSONCoder.decode(AgentStatus.self, from: value), value)
        } catch let error as ControlError {
            let (stored, configuration) = try await stoppedAgent(after: error)
            return .stopped(try await stored.status(of: configuration))
        }
    }

    /// Returns the newest recorded locations of a time, both ends included, newest last.
    /// - Parameters:
    ///   - from: the earliest time; nil: no bound.
    ///   - to: the latest time; nil: no bound.
    ///   - limit: the maximum number of locations, 1 to 10,000.
    /// - Throws: ``ControlError``, `StoreError`; `ExitError` if the agent refuses.
    public func locations(from: Timestamp?, to: Timestamp?, limit: Int) async throws -> [LocationEvent] {
        do {
            var parameters: [String: JSONValue] = ["limit": .integer(Int64(limit))]
            parameters["from"] = from.map { .string($0.iso8601) }
            parameters["to"] = to.map { .string($0.iso8601) }
            let locations = try await perform(.getLocations, parameters)["locations"] ?? .array([])
            return try JSONCoder.decode([LocationEvent].self, from: locations)
        } catch let error as ControlError {
            let (stored, _) = try await stoppedAgent(after: error)
            let payloads = try await stored.store.locations(
                from: from ?? .earliest, to: to ?? .latest, limit: limit)
            return try LocationEvent.decodeStored(payloads)
        }
    }

    /// Returns the distance travelled and its error bound.
    /// - Throws: ``ControlError``, `StoreError`; `ExitError` if the agent refuses, or the odometer is lost.
    public func odometer() async throws -> OdometerReading {
        do {
            return try Self.odometer(try await perform(.getOdometer))
        } catch let error as ControlError {
            let (stored, _) = try await stoppedAgent(after: error)
            guard let tracker = try await stored.tracker() else {
                throw ExitError(
                    .dataError, "\(stored.path): the saved state cannot be read; start the agent to create a new one")
            }
            return OdometerReading(
                meters: tracker.odometerMeters.rounded(toDecimals: 1),
                errorMeters: tracker.odometerErrorMeters.rounded(toDecimals: 1))
        }
    }

    /// Sets the odometer and resets its error bound to 0. The agent must be running.
    /// - Parameter meters: the new value, within ``OdometerReading/settableMeters``.
    /// - Returns: the odometer after the change.
    /// - Throws: ``ControlError``; `ExitError` if the agent refuses.
    public func setOdometer(_ meters: Double) async throws -> OdometerReading {
        do {
            return try Self.odometer(try await perform(.setOdometer, ["value": .number(meters)]))
        } catch let error as ControlError where error.kind == .noAgent {
            throw ControlError(
                .noAgent, description: "\(error.description); the odometer can be set only while the agent runs")
        }
    }

    private static func odometer(_ members: [String: JSONValue]) throws -> OdometerReading {
        struct Answer: Codable {
            var odometer: Double
            var odometer_error: Double
        }
        let answer = try JSONCoder.decode(Answer.self, from: .object(members))
        return OdometerReading(meters: answer.odometer, errorMeters: answer.odometer_error)
    }

    func perform(_ action: CommandRequest.Action, _ parameters: [String: JSONValue] = [:]) async throws -> [String:
        JSONValue]
    {
        let response = try await connection.response(
            to: CommandRequest(id: "cli", action: action, parameters: parameters))
        guard response.isSuccess else {
            throw ExitError(
                .dataError, response.error?.printable ?? "the agent refused \(action) without a reason")
        }
        return response.members
    }

    /// Opens the database after a command failed because no agent runs; rethrows any other error.
    func stoppedAgent(after error: ControlError) async throws -> (StoppedAgent, AgentConfiguration) {
        guard error.kind == .noAgent, let configuration else { throw error }
        let stored = try await StoppedAgent.open(configuration, socketPath: connection.path)
        let documents = try await stored.store.contents().documents
        let (own, owner) = (configuration.address.path, StoreOwner.address(in: documents))
        if let owner, owner != own {
            throw ExitError(
                .dataError,
                "\(stored.path): this is the database of the agent \(owner), not of \(own); give the configuration of "
                    + "\(owner), or start the agent \(own), which takes over the database")
        }
        return (stored, configuration)
    }
}
