import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The beacons that are aboard")
struct TrackerBeaconTests {
    private static func event(_ action: BeaconEvent.Action, _ identifier: String = "trailer-7") -> BeaconEvent {
        BeaconEvent(identifier: identifier, action: action, signalDBm: -70)
    }

    private static func locations(_ outputs: [TrackerOutput]) -> [TrackedLocation] {
        outputs.compactMap { if case .record(.location(let location)) = $0 { location.value } else { nil } }
    }

    private static func changes(_ outputs: [TrackerOutput]) -> [BeaconEvent] {
        locations(outputs).compactMap(\.beacon)
    }

    /// A tracker that has been driven, and what is next.
    private static func driven() -> (Tracker, [Fix]) {
        var track = Track()
        track.go(seconds: 300, metersPerSecond: 15)
        var tracker = Tracker()
        for fix in track.fixes { _ = tracker.handle(.fix(fix)) }
        track.go(seconds: 60, metersPerSecond: 15)
        return (tracker, Array(track.fixes.suffix(60)))
    }

    @Test("A change is a record at the last position, and later records have the beacons")
    func records() throws {
        var (tracker, next) = Self.driven()
        let fix = try #require(next.first)
        let entered = Self.locations(tracker.handle(.beacon(Self.event(.enter), at: fix.received)))
        #expect(entered.map(\.cause) == [.beacon])
        #expect(entered.first?.beacons == ["trailer-7"])
        let drive = next.flatMap { Self.locations(tracker.handle(.fix($0))) }
        #expect(!drive.isEmpty && drive.allSatisfy { $0.beacons == ["trailer-7"] && $0.beacon == nil })
        let last = try #require(next.last).received
        #expect(Self.changes(tracker.handle(.beacon(Self.event(.enter), at: last))) == [])
        let left = Self.locations(tracker.handle(.beacon(Self.event(.exit), at: last)))
        #expect(left.map(\.beacon?.action) == [.exit])
        #expect(left.first?.beacons == nil)
    }

    @Test("Without a position a change waits for the first one")
    func waits() throws {
        var tracker = Tracker()
        let (_, next) = Self.driven()
        let fix = try #require(next.first)
        #expect(tracker.handle(.beacon(Self.event(.enter), at: fix.received)) == [])
        #expect(tracker.presentBeacons == ["trailer-7"])
        #expect(Self.changes(tracker.handle(.fix(fix))) == [Self.event(.enter)])
    }

    @Test("Private time has no event and saves no change; what has changed is told after it, at a later time")
    func privateTime() throws {
        var (tracker, next) = Self.driven()
        let start = try #require(next.first).received
        _ = tracker.handle(.beacon(Self.event(.enter, "tag"), at: start))
        _ = tracker.handle(.schedule(.closed(OffScheduleRule(mode: .private, tag: "p")), at: start))
        let changes: [TrackerInput] = [
            .beacon(Self.event(.exit, "tag"), at: start), .beacon(Self.event(.enter), at: start),
            .beacon(Self.event(.enter, "guest"), at: start), .beacon(Self.event(.exit, "guest"), at: start),
        ]
        for change in changes {
            #expect(tracker.disclose(change) == nil)
            #expect(Self.locations(tracker.handle(change)) == [])
        }
        #expect(tracker.presentBeacons == ["trailer-7"])
        #expect(tracker.disclose(tracker).value.presentBeacons == ["tag"])
        for fix in next.dropLast() { #expect(Self.locations(tracker.handle(.fix(fix))) == []) }
        let end = try #require(next.last)
        #expect(Self.changes(tracker.handle(.schedule(.open, at: end.received))) == [])
        let told = Self.changes(tracker.handle(.fix(end)))
        #expect(told == [Self.event(.exit, "tag"), Self.event(.enter)])
    }

    @Test("The final trip has the beacons that were aboard for half of it")
    func trip() {
        var track = Track()
        track.stand(seconds: 600)
        track.go(seconds: 600, metersPerSecond: 15)
        track.stand(seconds: 1200)
        var tracker = Tracker()
        var trips: [TimelineEvent] = []
        for (index, fix) in track.fixes.enumerated() {
            var outputs = tracker.handle(.fix(fix))
            switch index {
            case 300: outputs += tracker.handle(.beacon(Self.event(.enter), at: fix.received))
            case 1100: outputs += tracker.handle(.beacon(Self.event(.enter, "late"), at: fix.received))
            case 1240: outputs += tracker.handle(.beacon(Self.event(.exit), at: fix.received))
            default: break
            }
            for case .record(.timeline(let event)) in outputs {
                if case .transport = event.kind { trips.append(event.value) }
            }
        }
        #expect(trips.last?.isProvisional == false)
        #expect(trips.last?.beacons == ["trailer-7"])
        #expect(trips.dropLast().allSatisfy { $0.beacons == nil })
    }

    @Test("Without beacons no state is kept")
    func none() {
        let (tracker, _) = Self.driven()
        #expect(tracker.agent.beacons == nil)
    }
}
