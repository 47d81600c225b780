import OdographCivilTime
import OdographWire

/// The running time of an engine, from the records of its vehicle.
struct EngineRun: Hashable, Sendable {
    /// The longest time between two records that counts, seconds. Nobody knows what the engine did in a longer one.
    private static let longestHoleSeconds = 600.0

    /// The time of the newest record, if the engine ran; nil if it did not, or if that is not known.
    private var runningAt: Timestamp?
    /// The running time that no rule has counted yet, milliseconds.
    private var uncounted: Int64 = 0

    /// Notes a record that is newer than those before it.
    mutating func note(_ event: LocationEvent) {
        guard event.vehicle?.isEngineRunning == true else { return runningAt = nil }
        if let runningAt {
            let seconds = event.timestamp.seconds(since: runningAt)
            if seconds > 0, seconds <= Self.longestHoleSeconds { uncounted += Int64((seconds * 1000).rounded()) }
        }
        runningAt = event.timestamp
    }

    /// Returns the running time since the last call, milliseconds.
    mutating func takeUncounted() -> Int64 {
        defer { uncounted = 0 }
        return uncounted
    }
}

extension VehicleReading {
    /// Whether the engine runs; nil if the vehicle does not say it. The ignition counts if there is no engine speed.
    fileprivate var isEngineRunning: Bool? { engineSpeed.map { $0 > 0 } ?? ignition }
}
