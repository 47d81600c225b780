import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// A new field of the tracker is classified here by what private time does with it. It is then added to
/// `Tracker.withoutPositions()` and the initializer of its state.
@Suite("The fields of the tracker")
struct TrackerStateTests {
    private static let fields: [String: Set<String>] = [
        "Tracker": ["configuration", "agent", "recent", "odometer", "timeline", "geofences", "sampler"],
        "AgentState": [
            "counters", "clock", "timeEstimator", "provider", "positions", "isTimeKnown", "schedule", "owesOpening",
            "battery", "boot", "idling", "driving", "beacons", "carriage",
        ],
        "RecentState": [
            "filter", "motion", "frozenFixes", "jumps", "windows", "movement", "requests", "undated", "venue",
            "vehicle", "driving",
        ],
    ]

    private static func children(of value: Any) -> Set<String> {
        Set(Mirror(reflecting: value).children.compactMap(\.label))
    }

    /// Whether a value contains a coordinate anywhere, apart from the configuration and the set of geofences.
    private static func hasPosition(_ value: Any) -> Bool {
        value is Coordinate
            || !(value is GeofenceContext) && Mirror(reflecting: value).children.contains { hasPosition($0.value) }
    }

    /// A tracker after a drive, a stop and a request.
    private static func drivenTracker() -> Tracker {
        var track = Track()
        track.go(seconds: 600, metersPerSecond: 15)
        track.stand(seconds: 600)
        track.go(seconds: 600, metersPerSecond: 15)
        var tracker = Tracker(
            geofences: GeofenceSet([
                Geofence(identifier: "yard", shape: FenceScene.circle(at: track.fixes[0].coordinate))
            ]),
            zone: .utc)
        for fix in track.fixes { _ = tracker.handle(.fix(fix)) }
        _ = tracker.handle(.positionRequest(PositionRequest(id: 1), at: track.moment()))
        _ = tracker.recent.undated.append(ReceivedFix(track.fixes[0], hasReceiverDate: false))
        return tracker
    }

    @Test("Every field is classified")
    func classified() {
        let tracker = Tracker()
        for value in [tracker, tracker.agent, tracker.recent] as [Any] {
            #expect(Self.children(of: value) == Self.fields["\(type(of: value))"])
        }
    }

    @Test("Private time erases every position and nothing else")
    func privateTime() {
        let tracker = Self.drivenTracker()
        for value in [tracker.recent, tracker.odometer, tracker.timeline, tracker.geofences, tracker.sampler] as [Any] {
            #expect(Self.hasPosition(value), "\(type(of: value))")
        }
        let erased = tracker.withoutPositions()
        #expect(!Self.hasPosition(erased))
        #expect(erased.recent == RecentState())
        #expect(erased.agent == tracker.agent && erased.configuration == tracker.configuration)
        #expect(
            erased.odometerMeters == tracker.odometerMeters
                && erased.timeline.events.open?.id == tracker.timeline.events.open?.id)
    }

    @Test(
        "At no time of a day does the state of private time contain a position",
        arguments: 1...8 as ClosedRange<UInt64>)
    func privateTimeOfADay(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var drive = SimulatedDrive(seed: seed)
        drive.stand(seconds: 700)
        for _ in 1...4 {
            let seconds = Double.random(in: 60..<900, using: &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                drive.walk(seconds: seconds / 2)
            } else {
                drive.drive(seconds: seconds)
            }
            drive.stand(seconds: Double.random(in: 100..<900, using: &random))
        }
        var tracker = Tracker(seed: (seed, seed))
        for (index, fix) in drive.fixes.enumerated() {
            _ = tracker.handle(.fix(fix))
            if index % 30 == 0 { #expect(!Self.hasPosition(tracker.withoutPositions()), "\(fix.timestamp)") }
        }
    }

    @Test("While the time is unknown, no deadline is due whose outputs have a date")
    func unknownTime() throws {
        let tracker = Self.drivenTracker()
        let due = try #require(tracker.nextDeadline(isTimeKnown: true))
        #expect(!due.what.allowsUnknownTime)
        #expect(tracker.nextDeadline(isTimeKnown: false)?.what.allowsUnknownTime != false)
    }
}
