/// The arrivals of the reports of one cycle: their order by class, and their pauses.
struct CycleArrivals {
    /// A part of the reports, from the first.
    struct Part {
        /// The number of positions.
        var positions = 0
        /// The longest pause up to the last position, milliseconds.
        var longestPauseMilliseconds: Int64 = 0
    }

    /// The reports that are distinguished. Further ones are only counted.
    private static let capacity = 32
    /// The shortest pause between two cycles that is recognized, milliseconds.
    private static let shortestRestMilliseconds: Int64 = 100

    /// A bit for each report, the first at the lowest place: 1 for a position, 0 for another class.
    private var classes: UInt32 = 0
    private var count = 0
    /// All reports so far.
    private(set) var all = Part()
    private var longestPauseSincePosition: Int64 = 0
    /// The reports before the longest pause, that pause, and the longest one of the others, milliseconds.
    private var beforeLongestPause = Part()
    private var (longestPause, otherPause): (Int64, Int64) = (0, 0)
    /// The number of positions up to the first with a track.
    private var positionsToTrack: Int?
    /// The arrival of the last position and of the last report, on the monotonic clock.
    private(set) var lastPositionUptimeMilliseconds: Int64 = 0
    private(set) var lastUptimeMilliseconds: Int64 = 0

    mutating func addPosition(hasTrack: Bool, at uptimeMilliseconds: Int64) {
        add(isPosition: true, at: uptimeMilliseconds)
        lastPositionUptimeMilliseconds = uptimeMilliseconds
        all.positions += 1
        all.longestPauseMilliseconds = max(all.longestPauseMilliseconds, longestPauseSincePosition)
        longestPauseSincePosition = 0
        if hasTrack { positionsToTrack = positionsToTrack ?? all.positions }
    }

    mutating func addOther(at uptimeMilliseconds: Int64) {
        add(isPosition: false, at: uptimeMilliseconds)
    }

    private mutating func add(isPosition: Bool, at uptimeMilliseconds: Int64) {
        if count > 0 { notePause(until: uptimeMilliseconds) }
        lastUptimeMilliseconds = uptimeMilliseconds
        guard count < Self.capacity else { return }
        if isPosition { classes |= 1 << UInt32(count) }
        count += 1
    }

    /// Notes the beginning of the next cycle.
    mutating func end(at uptimeMilliseconds: Int64) { notePause(until: uptimeMilliseconds) }

    private mutating func notePause(until uptimeMilliseconds: Int64) {
        let pause = uptimeMilliseconds - lastUptimeMilliseconds
        longestPauseSincePosition = max(longestPauseSincePosition, pause)
        guard pause > longestPause else {
            otherPause = max(otherPause, pause)
            return
        }
        (longestPause, otherPause, beforeLongestPause) = (pause, longestPause, all)
    }

    /// The reports before the pause in which the receiver sends nothing; nil if no pause stands out.
    var beforeRest: Part? {
        longestPause >= max(Self.shortestRestMilliseconds, 2 * otherPause) ? beforeLongestPause : nil
    }

    /// Whether a track comes before that pause.
    var hasTrackBeforeRest: Bool {
        guard let beforeRest, let positionsToTrack else { return false }
        return positionsToTrack <= beforeRest.positions
    }

    /// Whether this cycle began with the same reports as another one so far.
    func begins(like other: CycleArrivals) -> Bool {
        guard other.count <= count else { return false }
        let mask = other.count == Self.capacity ? UInt32.max : (1 << UInt32(other.count)) - 1
        return classes & mask == other.classes
    }
}
