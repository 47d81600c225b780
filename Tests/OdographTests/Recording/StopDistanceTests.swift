import OdographCivilTime
import OdographModel
import Testing
import OdographWire

@testable import Odograph
@testable import OdographTracking

@Suite("The distance within the place of a stop")
struct StopDistanceTests {
    private func revision(_ kind: TimelineEvent.Kind, meters: Double?, isPrivate: Bool = false) -> TimelineEventRevision
    {
        let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
        var event = TimelineEvent(
            id: TimelineEventID(seed: TrackerSeed(first: 1, second: 2), counter: 1), revision: 2, isProvisional: false,
            kind: kind, start: start, end: start.advanced(bySeconds: 600), lastUpdate: start.advanced(bySeconds: 700),
            tag: nil)
        event.stopMeters = meters
        event.isOfPrivateTime = isPrivate
        return TimelineEventRevision(PrivacyBarrier(rule: nil).disclose(event), identity: nil)
    }

    @Test("It is published in decimetres and read back", arguments: [TimelineEvent.Kind.stationary(nil), .unknown])
    func published(kind: TimelineEvent.Kind) throws {
        let revision = revision(kind, meters: 244.96)
        #expect(revision.distanceInMeters == 245)
        #expect(try #require(TimelineEvent(revision)).distanceMeters == 245)
    }

    @Test(
        "It is absent where there was no movement, and in private time",
        arguments: [(nil, false), (0.04, false), (245, true)] as [(Double?, Bool)])
    func absent(meters: Double?, isPrivate: Bool) throws {
        let revision = revision(.stationary(nil), meters: meters, isPrivate: isPrivate)
        #expect(revision.distanceInMeters == nil)
        #expect(try #require(TimelineEvent(revision)).distanceMeters == 0)
    }
}
