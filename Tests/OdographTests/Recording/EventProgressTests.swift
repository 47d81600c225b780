import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking
import Testing

@testable import Odograph

@Suite("Revisions that say only that an event lasts")
struct EventProgressTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)

    private static let ids = [2, 3].compactMap { TimelineEventID("00000000-0000-8000-8000-00000000000\($0)") }

    /// Returns a trip that lasts.
    private static func trip(_ change: (inout TimelineEvent) -> Void = { _ in }) -> TimelineEvent {
        var event = TimelineEvent(
            id: ids[0], revision: 1, isProvisional: true,
            kind: .transport(TimelineTransport(mode: .car, distanceMeters: 100, waypoints: [])), start: start, end: nil,
            lastUpdate: start.advanced(bySeconds: 60), tag: nil)
        change(&event)
        return event
    }

    @Test("The same trip with a longer distance is progress")
    func lasts() {
        var progress = EventProgress()
        let isFirst = progress.isProgress(Self.trip())
        let isNext = progress.isProgress(
            Self.trip {
                $0.revision = 2
                $0.kind = .transport(TimelineTransport(mode: .car, distanceMeters: 900, waypoints: []))
                $0.lastUpdate = Self.start.advanced(bySeconds: 120)
            })
        #expect(!isFirst && isNext)
    }

    /// A change of a trip, other than that it lasts.
    enum Change: CaseIterable {
        case anotherEvent, end, finalRevision, anotherBegin, anotherTag, withdrawal, anotherMode, anotherKind

        func apply(to event: inout TimelineEvent) {
            switch self {
            case .anotherEvent: event.id = EventProgressTests.ids[1]
            case .end: event.end = EventProgressTests.start.advanced(bySeconds: 100)
            case .finalRevision: event.isProvisional = false
            case .anotherBegin: event.start = EventProgressTests.start.advanced(bySeconds: -5)
            case .anotherTag: event.tag = "business"
            case .withdrawal: event.isWithdrawn = true
            case .anotherMode:
                event.kind = .transport(TimelineTransport(mode: .bicycle, distanceMeters: 100, waypoints: []))
            case .anotherKind: event.kind = .unknown
            }
        }
    }

    @Test("Anything else is none", arguments: Change.allCases)
    func changes(change: Change) {
        var progress = EventProgress()
        _ = progress.isProgress(Self.trip())
        let isProgress = progress.isProgress(Self.trip { change.apply(to: &$0) })
        #expect(!isProgress)
    }
}
