import Odograph
import CivilTime
import Glibc
import Positioning
import Store
import Tracking
import Wire

/// What the database of an agent says while none runs.
struct StoppedAgent: Sendable {
    let store: StoreReader
    let path: String

    /// Reads the database, and leaves it as it is.
    /// - Throws: `StoreError`; ``ControlError`` where there is none; ``ExitError`` where an agent has it open after all.
    static func open(_ configuration: AgentConfiguration) async throws -> StoppedAgent {
        let path = configuration.store.path
        guard StoreReader.exists(at: path, options: configuration.store.options) else {
            throw ControlError(
                .noAgent,
                description: errno == EACCES
                    ? "\(path): this user may not look there; ask as root or as the agent's own user"
                    : "\(configuration.controlPath): no agent runs here, and there is no database \(path) yet; start one "
                        + "with `odograph run`")
        }
        do {
            let store = try await StoreReader.open(at: path, options: configuration.store.options)
            return StoppedAgent(store: store, path: path)
        } catch StoreError.inUse {
            throw ExitError(
                .temporary,
                "\(path): an agent has this database open and does not answer on \(configuration.controlPath): it starts or "
                    + "stops, or the socket was deleted; ask again in a minute")
        }
    }

    /// The tracker as the next run will find it; nil where nobody knows any more what its odometer showed.
    func tracker() async throws -> Tracker? {
        let stored = PreviousRunState(try await store.contents())
        var restoration = Recovery(of: stored, configuration: TrackingConfiguration(), seed: .random())
        var tracker = restoration.tracker
        _ = restoration.replayJournal(into: &tracker)
        return restoration.loss?.isOdometerLost == true ? nil : tracker
    }

    func status(of configuration: AgentConfiguration) async throws -> StoppedAgentStatus {
        let statistics = try await store.statistics()
        let tracker = try await tracker()
        let now = SystemAgentClock().now()
        let location = tracker?.lastFix.flatMap { fix in
            tracker?.currentLocation(at: fix.received).map {
                LocationEvent($0, identity: nil, extras: configuration.tracking.extras)
            }
        }
        return StoppedAgentStatus(
            version: Build.version, address: configuration.address.path, timestamp: now.systemTime,
            odometer: tracker?.odometerMeters.rounded(toDecimals: 1),
            odometerError: tracker?.odometerErrorMeters.rounded(toDecimals: 1), location: location,
            store: StoreStatus(path: path, statistics))
    }
}

/// What can be said of an agent that does not run.
public struct StoppedAgentStatus: Hashable, Sendable, Codable {
    /// The version of the program that says it.
    public var version: String
    /// Root, fleet and device, joined by slashes.
    public var address: String
    /// When it was said.
    public var timestamp: Timestamp
    /// Distance travelled, metres; absent where the saved state cannot be read.
    public var odometer: Double?
    /// Its bound, metres.
    public var odometerError: Double?
    /// The last position; absent before the first.
    public var location: LocationEvent?
    /// The store.
    public var store: StoreStatus

    private enum CodingKeys: String, CodingKey {
        case version, address, timestamp, odometer
        case odometerError = "odometer_error"
        case location, store
    }
}
