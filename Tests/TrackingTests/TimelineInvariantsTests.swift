import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The rules of final timelines")
struct TimelineInvariantsTests {
    private static let zero = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)

    private static func event(_ kind: TimelineEvent.Kind, from start: Double, to end: Double, tag: String? = nil)
        -> TimelineEvent
    {
        TimelineEvent(
            id: TimelineEventID(seed: TrackerSeed(first: 1, second: 2), counter: UInt64(start * 10 + end)), revision: 1,
            isProvisional: false, kind: kind, start: zero.advanced(bySeconds: start),
            end: zero.advanced(bySeconds: end), lastUpdate: zero.advanced(bySeconds: end), tag: tag)
    }

    private static func trip(
        _ mode: TransportMode, _ meters: Double, from start: Double, to end: Double, tag: String? = nil
    ) -> TimelineEvent {
        event(
            .transport(TimelineTransport(mode: mode, distanceMeters: meters, waypoints: [])), from: start, to: end,
            tag: tag)
    }

    /// A case of each rule, and the nearest case that keeps it.
    private static let cases: [(broken: TimelineViolation.Rule?, events: [TimelineEvent])] = [
        (nil, [event(.unknown, from: 0, to: 10), trip(.car, 100, from: 10, to: 20)]),
        (.continuous, [event(.unknown, from: 0, to: 9), trip(.car, 100, from: 10, to: 20)]),
        (.continuous, [event(.unknown, from: 0, to: 11), trip(.car, 100, from: 10, to: 20)]),
        (.forward, [event(.unknown, from: 10, to: 9)]),
        (.duration, [event(.stationary(nil), from: 10, to: 10)]),
        (nil, [trip(.walking, 30, from: 0, to: 10)]), (.speed, [trip(.walking, 31, from: 0, to: 10)]),
        (nil, [trip(.running, 65, from: 0, to: 10)]), (.speed, [trip(.running, 66, from: 0, to: 10)]),
        (nil, [trip(.bicycle, 140, from: 0, to: 10)]), (.speed, [trip(.bicycle, 141, from: 0, to: 10)]),
        (nil, [trip(.train, 750, from: 0, to: 10)]), (.speed, [trip(.train, 751, from: 0, to: 10)]),
        (nil, [trip(.car, 10, from: 0, to: 10)]), (.movement, [trip(.car, 9.9, from: 0, to: 10)]),
        (.placeChange, [event(.stationary(nil), from: 0, to: 10), event(.stationary(nil), from: 10, to: 20)]),
        (nil, [event(.stationary(nil), from: 0, to: 10, tag: "night"), event(.stationary(nil), from: 10, to: 20)]),
        (.modeChange, [trip(.car, 100, from: 0, to: 10), trip(.car, 100, from: 10, to: 20)]),
        (nil, [trip(.car, 100, from: 0, to: 10, tag: "night"), trip(.car, 100, from: 10, to: 20)]),
        (nil, [trip(.car, 100, from: 0, to: 10), trip(.bicycle, 100, from: 10, to: 20)]),
        (.reasonChange, [event(.offTheGrid(.noFix), from: 0, to: 10), event(.offTheGrid(.noFix), from: 10, to: 20)]),
        (nil, [event(.offTheGrid(.powerOff), from: 0, to: 10), event(.offTheGrid(.noFix), from: 10, to: 20)]),
    ]

    @Test("Each rule finds what breaks it, and nothing that keeps it", arguments: cases.indices)
    func rules(index: Int) {
        let (broken, events) = Self.cases[index]
        let odometerMeters = events.reduce(0) { $0 + $1.distanceMeters }
        #expect(
            TimelineInvariants.violations(in: events.reversed(), odometerMeters: odometerMeters).map(\.rule)
                == [broken].compactMap { $0 })
    }

    @Test("The events together are not longer than the odometer's distance")
    func distance() {
        var gap = Self.event(.offTheGrid(.noFix), from: 10, to: 20)
        gap.gapDistance = TimelineGapDistance(meters: 50, errorMeters: 20)
        var stop = Self.event(.stationary(nil), from: 20, to: 30)
        stop.stopMeters = 30
        let events = [Self.trip(.car, 100, from: 0, to: 10), gap, stop]
        #expect(TimelineInvariants.violations(in: events, odometerMeters: 180).isEmpty)
        #expect(TimelineInvariants.violations(in: events, odometerMeters: 170).map(\.rule) == [.distance])
    }

    @Test("A withdrawn event is ignored")
    func withdrawn() {
        var event = Self.event(.unknown, from: 10, to: 10)
        event.isWithdrawn = true
        #expect(TimelineInvariants.violations(in: [Self.event(.unknown, from: 0, to: 20), event]).isEmpty)
    }
}
