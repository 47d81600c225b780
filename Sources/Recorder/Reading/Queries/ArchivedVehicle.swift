/// A vehicle of the database.
package struct ArchivedVehicle: Hashable, Sendable {
    /// The key in the database.
    package let key: Int64
    /// The fleet's name.
    package let fleet: String
    /// The vehicle's name, unique within the fleet.
    package let device: String
    /// The time zone of the vehicle's days; nil if it has not stated one.
    package let timeZone: String?
}
