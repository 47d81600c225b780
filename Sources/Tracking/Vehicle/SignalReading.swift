import OdographModel

/// The newest value of one signal, with its source and its time.
struct SignalReading<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    /// The value.
    var value: Value
    /// The source.
    var source: VehicleSignals.Source
    /// The time of its reception, milliseconds of the monotonic clock.
    var uptimeMilliseconds: Int64

    /// Returns the age of the value at a time of the monotonic clock, milliseconds, ≥ 0.
    func ageMilliseconds(at uptime: Int64) -> Int64 { max(uptime - uptimeMilliseconds, 0) }
}
