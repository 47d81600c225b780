import OdographHarness
import Testing

@testable import Odograph

@Suite("Snapshots in private time")
struct PrivateSnapshotPolicyTests {
    /// Returns whether a snapshot is due this many milliseconds and metres after the last one.
    private func isDue(_ milliseconds: Int64, _ meters: Double, _ tracking: String) throws -> Bool {
        var save = PrivateSnapshotPolicy()
        save.markSaved(uptimeMilliseconds: 5000, meters: 700)
        return save.isDue(
            uptimeMilliseconds: 5000 + milliseconds, meters: 700 + meters,
            by: try ScheduleFixture.settings(tracking))
    }

    @Test("The first snapshot is due at once")
    func first() {
        #expect(PrivateSnapshotPolicy().isDue(uptimeMilliseconds: 0, meters: 0, by: TrackingSettings()))
    }

    @Test(
        "A moving vehicle's snapshot is due as often as a record, and a stationary one's every 5 min",
        arguments: [
            (9999, 100.0, false), (10_000, 99.9, false), (10_000, 100, true), (10_000, -100, true), (299_999, 0, false),
            (300_000, 0, true),
        ] as [(Int64, Double, Bool)])
    func goesOn(milliseconds: Int64, meters: Double, isExpected: Bool) throws {
        let sampling = "{ sampling: { minimum_interval: 10, distance: 100 } }"
        #expect(try isDue(milliseconds, meters, sampling) == isExpected)
    }

    @Test("Snapshots are no more frequent than the commit interval")
    func seldom() throws {
        let tracking = "{ sampling: { minimum_interval: 10, distance: 100 }, commit_interval: 60 }"
        #expect(try !isDue(59_999, 1000, tracking))
        #expect(try isDue(60_000, 1000, tracking))
    }
}
