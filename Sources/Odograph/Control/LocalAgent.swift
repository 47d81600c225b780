import CivilTime
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
        case stopped(StoredStatus)
    }

    private let configuration: AgentConfiguration?
    private let connection: ControlConnection

    /// - Parameters:
    ///   - configuration: the agent's; nil where only its socket is known.
    ///   - socketPath: another socket than the configuration's.
    public init(configuration: AgentConfiguration?, socketPath: String?) {
        self.configuration = configuration
        connection = ControlConnection(
            path: socketPath ?? configuration?.controlPath ?? "", address: configuration?.address.path)
    }

    /// How the agent is.
    /// - Throws: ``ControlError``, `StoreError`; ``Failure`` where the agent refuses.
    public func status() async throws -> Status {
        do {
            let value = JSONValue.object(try await ask(.getStatus))
            return .running(try JSONText.decode(AgentStatus.self, from: value), value)
        } catch let error as ControlError {
            let (stored, configuration) = try await storedAgent(unless: error)
            return .stopped(try await stored.status(of: configuration))
        }
    }

    /// The newest recorded locations of a time, both ends included, newest last. Nothing bounds what is nil.
    /// - Parameters:
    ///   - from: none older.
    ///   - to: none newer.
    ///   - limit: at most so many, 1 to 10,000.
    /// - Throws: ``ControlError``, `StoreError`; ``Failure`` where the agent refuses.
    public func locations(from: Timestamp?, to: Timestamp?, limit: Int) async throws -> [LocationEvent] {
        do {
            var parameters: [String: JSONValue] = ["limit": .integer(Int64(limit))]
            parameters["from"] = from.map { .string($0.iso8601) }
            parameters["to"] = to.map { .string($0.iso8601) }
            let locations = try await ask(.getLocations, parameters)["locations"] ?? .array([])
            return try JSONText.decode([LocationEvent].self, from: locations)
        } catch let error as ControlError {
            let (stored, _) = try await storedAgent(unless: error)
            let payloads = try await stored.store.locations(
                from: from ?? .earliest, to: to ?? .latest, limit: limit)
            return try LocationEvent.stored(payloads)
        }
    }

    /// The distance travelled, and its bound.
    /// - Throws: ``ControlError``, `StoreError`; ``Failure`` where nobody knows it any more.
    public func odometer() async throws -> Odometer {
        do {
            return try Self.odometer(try await ask(.getOdometer))
        } catch let error as ControlError {
            let (stored, _) = try await storedAgent(unless: error)
            guard let tracker = try await stored.tracker() else {
                throw Failure(
                    .dataError, "\(stored.path): the saved state cannot be read; start the agent, it begins anew")
            }
            return Odometer(
                meters: tracker.odometerMeters.rounded(toDecimals: 1),
                errorMeters: tracker.odometerErrorMeters.rounded(toDecimals: 1))
        }
    }

    /// Sets the odometer; its bound begins again at 0. Only a running agent can do that.
    /// - Parameter meters: within ``Odometer/settableMeters``.
    /// - Returns: what it shows then.
    /// - Throws: ``ControlError``; ``Failure`` where the agent refuses.
    public func setOdometer(_ meters: Double) async throws -> Odometer {
        do {
            return try Self.odometer(try await ask(.setOdometer, ["value": .number(meters)]))
        } catch let error as ControlError where error.kind == .noAgent {
            throw ControlError(
                .noAgent, description: "\(error.description); the odometer can be set only while the agent runs")
        }
    }

    private static func odometer(_ members: [String: JSONValue]) throws -> Odometer {
        struct Answer: Codable {
            var odometer: Double
            var odometer_error: Double
        }
        let answer = try JSONText.decode(Answer.self, from: .object(members))
        return Odometer(meters: answer.odometer, errorMeters: answer.odometer_error)
    }

    func ask(_ action: CommandAction, _ parameters: [String: JSONValue] = [:]) async throws -> [String: JSONValue] {
        let response = try await connection.answer(
            to: CommandRequest(id: "cli", action: action.rawValue, parameters: parameters))
        guard response.isDone else {
            throw Failure(
                .dataError, response.error?.printable ?? "the agent refused \(action.rawValue) and did not say why")
        }
        return response.members
    }

    /// The database, where no agent runs that could be asked.
    func storedAgent(unless error: ControlError) async throws -> (StoredAgent, AgentConfiguration) {
        guard error.kind == .noAgent, let configuration else { throw error }
        let stored = try await StoredAgent.open(configuration)
        let documents = try await stored.store.contents().documents
        let (own, owner) = (configuration.address.path, StoreOwner.address(in: documents))
        if let owner, owner != own {
            throw Failure(
                .dataError,
                "\(stored.path): this is the database of the agent \(owner), and not of \(own); name the configuration of "
                    + "\(owner), or start the agent \(own) once, which takes the database over")
        }
        return (stored, configuration)
    }
}
