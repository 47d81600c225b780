/// The use of a vehicle after which a service is due, again and again.
package enum ServiceInterval: Hashable, Sendable {
    /// A distance by the odometer: the interval, and the odometer at the last service.
    case kilometers(Int, from: Int)
    /// A running time of the engine: the interval, and the time since the last service when the rule begins.
    case engineHours(Int, used: Int)
}
