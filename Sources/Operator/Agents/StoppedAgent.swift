import Odograph
import OdographCivilTime
import Glibc
import OdographModel
import OdographPositioning
import OdographStore
import OdographTerminal
import OdographTracking
import OdographWire

/// Reads the database of an agent that does not run.
struct StoppedAgent: Sendable {
    let store: StoreReader
    let path: String

    /// Opens the database without changing it.
    /// - Parameters:
    ///   - configuration: The configuration of the agent.
    ///   - socketPath: The control socket on which no agent runs.
    /// - Throws: `StoreError`; ``ControlError`` if it does not exist; `ExitError` if an agent has it open.
    static func open(_ configuration: AgentConfiguration, socketPath: String) async throws -> StoppedAgent {
        let path = configuration.store.path
        guard StoreReader.exists(at: path, options: configuration.store.options) else {
            throw ControlError(
                .noAgent,
                description: errno == EACCES
                    ? "\(path): this user cannot access the folder; run this as root or as the agent's user"
                    : "\(socketPath): no agent runs on this socket, and there is no database \(path); "
                        + "start one with `odograph run`")
        }
        do {
            return StoppedAgent(
                store: try await StoreReader.open(at: path, options: configuration.store.options), path: path)
        } catch {
            // Not a pattern of `catch`: Swift 6.2.3 does not compile one here.
            guard case .inUse = error else { throw error }
            throw ExitError(
                .temporary,
                "\(path): an agent uses this database but does not respond on \(socketPath): it is "
                    + "starting or stopping, or the socket was deleted; try again in a minute")
        }
    }

    /// Returns the tracker as the next run will restore it; nil if its odometer is lost.
    func tracker() async throws -> Tracker? { try tracker(from: try await store.contents()) }

    private func tracker(from contents: StoreContents) throws -> Tracker? {
        let stored = PreviousRunState(contents)
        var restoration = Recovery(of: stored, configuration: TrackingConfiguration(), seed: .random())
        var tracker = restoration.tracker
        _ = restoration.replayJournal(into: &tracker, at: nil)
        return restoration.loss?.isOdometerLost == true ? nil : tracker
    }

    func status(of configuration: AgentConfiguration) async throws -> StoppedAgentStatus {
        let statistics = try await store.statistics()
        let contents = try await store.contents()
        let tracker = try tracker(from: contents)
        let now = SystemAgentClock().now()
        let location = tracker?.lastLocation.map {
            LocationEvent($0, identity: nil, annotations: RecordAnnotations(extras: configuration.tracking.extras))
        }
        return StoppedAgentStatus(
            version: Build.version, address: configuration.address.path, timestamp: now.systemTime,
            odometer: tracker?.odometerMeters.rounded(toDecimals: 1),
            odometerError: tracker?.odometerErrorMeters.rounded(toDecimals: 1), location: location,
            store: StoreStatus(path: path, statistics), budget: SavedBudget.state(in: contents.documents))
    }
}

/// The status of an agent that does not run.
public struct StoppedAgentStatus: Hashable, Sendable, Codable {
    /// The version of the program that created the status.
    public var version: String
    /// Root, fleet and device, joined by slashes.
    public var address: String
    /// The time of the status.
    public var timestamp: Timestamp
    /// The distance travelled, metres; absent if the saved state cannot be read.
    public var odometer: Double?
    /// The error bound of the odometer, metres.
    public var odometerError: Double?
    /// The last position; absent before the first.
    public var location: LocationEvent?
    /// The state of the store.
    public var store: StoreStatus
    /// The traffic budget at the end of the last run; absent if there was none.
    public var budget: BudgetState?

    private enum CodingKeys: String, CodingKey {
        case version, address, timestamp, odometer
        case odometerError = "odometer_error"
        case location, store, budget
    }
}
