/// The bytes that a vehicle may still add: two buckets. They leak as fast as the vehicle may fill them in the long
/// term.
struct VehicleAllowance {
    /// The bytes that were added and have not leaked.
    private var (minute, day): (Double, Double) = (0, 0)
    private var updated: ContinuousClock.Instant

    init(at now: ContinuousClock.Instant) { updated = now }

    /// Notes that the vehicle has added so many bytes.
    mutating func charge(_ bytes: Int, at now: ContinuousClock.Instant, _ limits: VehicleLimits) {
        leak(until: now, limits)
        minute += Double(bytes)
        day += Double(bytes)
    }

    /// Returns the time after which the vehicle may add something, seconds.
    mutating func secondsToNext(at now: ContinuousClock.Instant, _ limits: VehicleLimits) -> Double {
        leak(until: now, limits)
        return max(minute - Double(limits.minuteBytes), 0) / (Double(limits.minuteBytes) / 60)
    }

    /// Returns whether the vehicle has added what it may in a day.
    mutating func isUsedUp(at now: ContinuousClock.Instant, _ limits: VehicleLimits) -> Bool {
        leak(until: now, limits)
        return day >= Double(limits.dayBytes)
    }

    private mutating func leak(until now: ContinuousClock.Instant, _ limits: VehicleLimits) {
        let elapsed = max(updated.duration(to: now) / .seconds(1), 0)
        updated = now
        minute = max(minute - elapsed * Double(limits.minuteBytes) / 60, 0)
        day = max(day - elapsed * Double(limits.dayBytes) / 86_400, 0)
    }
}
