import OdographCivilTime
import OdographGeodesy

import OdographHarness

@testable import OdographTracking
import OdographModel

/// A machine without a clock battery, and its receiver. Passes inputs to the tracker in the order of the agent.
struct DatingScene {
    var tracker: Tracker
    private(set) var outputs: [TrackerOutput] = []
    /// The time of the last boot, and its name.
    private var bootTime: Timestamp
    private var boot = "first"
    /// Whether the machine's clock is set.
    var isClockSet = false

    init(seed: (UInt64, UInt64) = (1, 2), bootAt time: Timestamp) {
        tracker = Tracker(seed: seed)
        bootTime = time
        give(.started(at: moment(time), boot: boot))
    }

    /// Returns the reading of the machine's clocks at a true instant.
    func moment(_ time: Timestamp) -> ClockReading {
        let uptime = time.millisecondsSinceEpoch - bootTime.millisecondsSinceEpoch + 20_000
        return ClockReading(
            systemTime: isClockSet ? time : Timestamp(millisecondsSinceEpoch: uptime), uptimeMilliseconds: uptime,
            isSystemTimeTrusted: isClockSet)
    }

    /// Restarts the agent, with or without the machine.
    mutating func restart(at time: Timestamp, isNewBoot: Bool) {
        if isNewBoot {
            bootTime = time
            boot += "+"
            isClockSet = false
        }
        give(.started(at: moment(time), boot: boot))
    }

    mutating func tick(at time: Timestamp) {
        outputs += tracker.takeDated(at: moment(time))
        give(.tick(moment(time)))
    }

    /// Handles positions, with or without the receiver's date.
    mutating func take(_ fixes: some Sequence<Fix>, isDated: Bool) {
        for fix in fixes { take(fix, isDated: isDated) }
    }

    mutating func take(_ fix: Fix, isDated: Bool) {
        var fix = fix
        fix.received = moment(isDated ? fix.received.systemTime : fix.timestamp)
        if !isDated { fix.timestamp = fix.received.systemTime }
        outputs += tracker.take(ReceivedFix(fix, hasReceiverDate: isDated))
    }

    private mutating func give(_ input: TrackerInput) {
        outputs += tracker.handle(input)
    }

    /// The number of positions that wait for a date.
    var undatedCount: Int { tracker.recent.undated.fixes.count }

    var events: [TimelineEvent] { outputs.compactMap(\.event) }
    var locations: [TrackedLocation] { outputs.compactMap(\.location) }

    /// The outputs without the readings of the machine's clocks.
    var story: [StoryItem] {
        outputs.map { output in
            guard var location = output.location else { return .other(output) }
            location.fix.received = ClockReading(replayed: location.fix.timestamp)
            location.ageMilliseconds = 0
            return .location(location)
        }
    }

    enum StoryItem: Equatable {
        case location(TrackedLocation)
        case other(TrackerOutput)
    }
}
