import OdographCivilTime
import OdographModel
import OdographWire
import Testing

@testable import Odograph
@testable import OdographTracking

@Suite("Revisions of private time after a loss of state")
struct PrivateRevisionTests {
    @Test("The last revision of an event is of private time if the published one is", arguments: [false, true])
    func final(isPrivate: Bool) throws {
        let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
        var event = TimelineEvent(
            id: TimelineEventID(seed: TrackerSeed(first: 1, second: 2), counter: 1), revision: 2, isProvisional: false,
            kind: .transport(TimelineTransport(mode: .car, distanceMeters: 100, waypoints: [])), start: start, end: nil,
            lastUpdate: start.advanced(bySeconds: 700), tag: nil)
        event.isOfPrivateTime = isPrivate
        let published = TimelineEventRevision(PrivacyBarrier(rule: nil).disclose(event), identity: nil)
        let known = try #require(TimelineEvent(published))
        // A tracker without the saved state does not know yet that private time lasts.
        var tracker = Tracker(configuration: TrackingConfiguration(), seed: (1, 2))
        let outputs = tracker.resume(
            after: [known], lastUpdate: known.lastUpdate, quality: .incomplete, seed: (3, 4))
        let last = try #require(
            outputs.compactMap { output -> TimelineEvent? in
                guard case .record(.timeline(let event)) = output, event.value.id == known.id else { return nil }
                return event.value
            }.last)
        #expect(last.end != nil && last.isOfPrivateTime == isPrivate)
    }
}
