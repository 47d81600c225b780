import CivilTime
import OdographJSON
import Store
import Tracking
import Wire

/// The agent of this machine, asked by a command: through its control socket while it runs, else by its database.
public struct LocalAgent: Sendable {
    /// What `status` answers.
    public enum Status: Sendable {
        /// The running agent's own word, and the same as it was sent.
        case running(AgentStatus, JSONValue)
        /// The database's.
        case stopped(StoppedAgentStatus)
    }

    private let configuration: AgentConfiguration?
    private let connection: ControlSocketClient

    /// - Parameters:
    ///   - configuration: the agent's; nil where only its socket is known.
    ///   - socketPath: another socket than the configuration's.
    public init(configuration: AgentConfiguration?, socketPath: String?) {
        self.configuration = configuration
        connection = ControlSocketClient(
            path: socketPath ?? configuration?.controlPath ?? "", address: configuration?.address.path)
    }

    /// How the agent is.
    /// - Throws: ``ControlError``, `StoreError`; ``ExitError`` where the agent refuses.
    public func status() async throws -> Status {
        do {
            let value = JSONValue.object(try await perform(.getStatus))
            return .running(try JSONCoder.decode(AgentStatus.self, from: value), value)
        } catch let error as ControlError {
            let (stored, configuration) = try await stoppedAgent(after: error)
            return .stopped(try await stored.status(of: configuration))
        }
    }

    /// The newest recorded locations of a time, both ends included, newest last. Nothing bounds what is nil.
    /// - Parameters:
    ///   - from: none older.
    ///   - to: none newer.
    ///   - limit: at most so many, 1 to 10,000.
    /// - Throws: ``ControlError``, `StoreError`; ``ExitError`` where the agent refuses.
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

    /// The distance travelled, and its bound.
    /// - Throws: ``ControlError``, `StoreError`; ``ExitError`` where nobody knows it any more.
    public func odometer() async throws -> OdometerReading {
        do {
            return try Self.odometer(try await perform(.getOdometer))
        } catch let error as ControlError {
            let (stored, _) = try await stoppedAgent(after: error)
            guard let tracker = try await stored.tracker() else {
                throw ExitError(
                    .dataError, "\(stored.path): the saved state cannot be read; start the agent, it begins anew")
            }
            return OdometerReading(
                meters: tracker.odometerMeters.rounded(toDecimals: 1),
                errorMeters: tracker.odometerErrorMeters.rounded(toDecimals: 1))
        }
    }

    /// Sets the odometer; its bound begins again at 0. Only a running agent can do that.
    /// - Parameter meters: within ``OdometerReading/settableMeters``.
    /// - Returns: what it shows then.
    /// - Throws: ``ControlError``; ``ExitError`` where the agent refuses.
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

    func perform(_ action: CommandAction, _ parameters: [String: JSONValue] = [:]) async throws -> [String: JSONValue] {
        let response = try await connection.response(
            to: CommandRequest(id: "cli", action: action.rawValue, parameters: parameters))
        guard response.isSuccess else {
            throw ExitError(
                .dataError, response.error?.printable ?? "the agent refused \(action.rawValue) and did not say why")
        }
        return response.members
    }

    /// The database, where no agent runs that could be asked.
    func stoppedAgent(after error: ControlError) async throws -> (StoppedAgent, AgentConfiguration) {
        guard error.kind == .noAgent, let configuration else { throw error }
        let stored = try await StoppedAgent.open(configuration)
        let documents = try await stored.store.contents().documents
        let (own, owner) = (configuration.address.path, StoreOwner.address(in: documents))
        if let owner, owner != own {
            throw ExitError(
                .dataError,
                "\(stored.path): this is the database of the agent \(owner), and not of \(own); name the configuration of "
                    + "\(owner), or start the agent \(own) once, which takes the database over")
        }
        return (stored, configuration)
    }
}
