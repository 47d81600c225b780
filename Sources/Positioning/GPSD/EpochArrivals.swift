/// The arrivals of the reports of one epoch: their order by class, and their pauses.
struct EpochArrivals {
    /// The reports that are distinguished. Further ones are only counted.
    private static let capacity = 32

    /// A bit for each report, the first at the lowest place: 1 for a position, 0 for another class.
    private var classes: UInt32 = 0
    private var count = 0
    private(set) var positions = 0
    /// The longest pause between two reports up to the last position, milliseconds.
    private(set) var longestPauseMilliseconds: Int64 = 0
    private var longestPauseSincePosition: Int64 = 0
    /// The arrival of the last position and of the last report, on the monotonic clock.
    private(set) var lastPositionUptimeMilliseconds: Int64 = 0
    private(set) var lastUptimeMilliseconds: Int64 = 0

    mutating func addPosition(at uptimeMilliseconds: Int64) {
        add(isPosition: true, at: uptimeMilliseconds)
        positions += 1
        lastPositionUptimeMilliseconds = uptimeMilliseconds
        longestPauseMilliseconds = max(longestPauseMilliseconds, longestPauseSincePosition)
        longestPauseSincePosition = 0
    }

    mutating func addOther(at uptimeMilliseconds: Int64) {
        add(isPosition: false, at: uptimeMilliseconds)
    }

    private mutating func add(isPosition: Bool, at uptimeMilliseconds: Int64) {
        if count > 0 {
            longestPauseSincePosition = max(
                longestPauseSincePosition, uptimeMilliseconds - lastUptimeMilliseconds)
        }
        lastUptimeMilliseconds = uptimeMilliseconds
        guard count < Self.capacity else { return }
        if isPosition { classes |= 1 << UInt32(count) }
        count += 1
    }

    /// Whether this epoch began with the same reports as another one so far.
    func begins(like other: EpochArrivals) -> Bool {
        guard other.count <= count else { return false }
        let mask = other.count == Self.capacity ? UInt32.max : (1 << UInt32(other.count)) - 1
        return classes & mask == other.classes
    }
}
