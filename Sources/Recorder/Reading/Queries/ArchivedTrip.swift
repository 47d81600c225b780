import OdographWire

/// A trip and its vehicle.
package struct ArchivedTrip: Hashable, Sendable {
    /// The vehicle.
    package let vehicle: ArchivedVehicle
    /// The newest revision of the trip.
    package let event: TimelineEventRevision
}
