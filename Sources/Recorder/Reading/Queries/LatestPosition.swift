/// A vehicle and its newest position.
package struct LatestPosition: Hashable, Sendable {
    /// The vehicle.
    package let vehicle: ArchivedVehicle
    /// Its newest status, `online` or `offline`; nil if none is stored.
    package let state: String?
    /// When the recorder received its newest message.
    package let lastSeen: String
    /// The location record with the greatest number; nil if none is stored.
    package let position: ArchivedRecord?
}
