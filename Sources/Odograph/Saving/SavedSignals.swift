import OdographJSON
import OdographModel

/// The signals that a program asked to keep over a restart. Speeds are never among them.
package struct SavedSignals: Hashable, Sendable, Codable {
    /// The age up to which other values than the ignition are used again, milliseconds: they are stale later.
    private static let longestAgeMilliseconds: Int64 = 600_000

    /// The values, with the time of their reception.
    package var signals: VehicleSignals
    /// The machine's name for the boot; nil if it has none.
    package var boot: String?

    /// Creates the saved form of signals over earlier ones; nil if there is nothing to save.
    /// - Parameter persists: Whether the new values are saved. Otherwise they only replace saved ones.
    package init?(_ new: VehicleSignals, persists: Bool, over earlier: SavedSignals?, boot: String?) {
        var merged = earlier?.signals ?? new
        merged.received = new.received
        merged.wheelSpeedMetersPerSecond = nil
        merged.engineRevolutionsPerMinute = nil
        func merge<Value>(_ path: WritableKeyPath<VehicleSignals, Value?>) {
            if new[keyPath: path] != nil {
                merged[keyPath: path] = persists ? new[keyPath: path] : nil
            }
        }
        merge(\.odometerMeters)
        merge(\.isIgnitionOn)
        merge(\.batteryVolts)
        merge(\.fuelLevel)
        merge(\.stateOfCharge)
        guard !merged.isEmpty else { return nil }
        (signals, self.boot) = (merged, boot)
    }

    /// Returns the signals as an input of a new run; nil if none of them is valid any more.
    package func restored(at now: ClockReading, boot newBoot: String?) -> VehicleSignals? {
        var restored = signals
        restored.received = now
        let age = now.uptimeMilliseconds - signals.received.uptimeMilliseconds
        // A program reports the ignition when it changes, so its last report stays valid.
        if newBoot == nil || newBoot != boot || !(0...Self.longestAgeMilliseconds).contains(age) {
            restored = VehicleSignals(source: signals.source, received: now, isIgnitionOn: signals.isIgnitionOn)
        }
        return restored.isEmpty ? nil : restored
    }
}

extension VehicleSignals {
    /// Whether there is no value.
    package var isEmpty: Bool {
        wheelSpeedMetersPerSecond == nil && odometerMeters == nil && isIgnitionOn == nil
            && engineRevolutionsPerMinute == nil && batteryVolts == nil && fuelLevel == nil && stateOfCharge == nil
    }
}
