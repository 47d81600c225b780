import OdographCivilTime
import OdographModel
import Testing

@testable import OdographTracking

@Suite("What an event was when its end is known")
struct EndedEventRuleTests {
    private static let zero = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)

    private static func outcome(
        of phase: OpenEvent.Phase, seconds: Double, meters: Double, modeBefore: MovementMode? = nil,
        canJoin: Bool = false
    ) -> EndedEventRule.Outcome {
        let event = OpenEvent(
            id: TimelineEventID(seed: TrackerSeed(first: 1, second: 2), counter: 1), phase: phase, start: zero,
            startMeters: 1000)
        return EndedEventRule(
            event: event, end: zero.advanced(bySeconds: seconds), meters: 1000 + meters, modeBefore: modeBefore,
            fastestMetersPerSecond: FilterRule().fastestVehicleMetersPerSecond, canJoin: canJoin
        ).outcome
    }

    private static func trip(_ mode: MovementMode?) -> OpenEvent.Phase { .trip(Trip(motion: TripMotion(mode: mode))) }

    @Test("An event without a duration was none", arguments: [0.0, -3])
    func duration(seconds: Double) {
        for phase in [Self.trip(.vehicle), .stationary(Stop()), .unknown(Stop()), .offTheGrid(.noFix)]
            as [OpenEvent.Phase]
        {
            #expect(Self.outcome(of: phase, seconds: seconds, meters: 0) == .none)
        }
    }

    @Test("A short event was none where the event before it can go on")
    func shortEvent() {
        for phase in [Self.trip(.vehicle), .stationary(Stop()), .unknown(Stop())] as [OpenEvent.Phase] {
            #expect(Self.outcome(of: phase, seconds: 9.9, meters: 50, canJoin: true) == .none)
            #expect(Self.outcome(of: phase, seconds: 10, meters: 50, canJoin: true) == .event)
            #expect(Self.outcome(of: phase, seconds: 9.9, meters: 50) == .event)
        }
    }

    @Test("A trip without a movement was a stop, whatever its mode", arguments: [MovementMode.foot, .vehicle, nil])
    func movement(mode: MovementMode?) {
        #expect(Self.outcome(of: Self.trip(mode), seconds: 60, meters: 9.9) == .stop)
        #expect(Self.outcome(of: Self.trip(mode), seconds: 60, meters: 10) == .event)
    }

    @Test(
        "A trip that is too fast for its mode had that of the trip before, or was by a vehicle, or is unknown",
        arguments: [
            (MovementMode.foot, 3.0, nil, EndedEventRule.Outcome.event), (.foot, 3.1, nil, .trip(.vehicle)),
            (.foot, 3.1, .vehicle, .trip(.vehicle)), (.foot, 3.1, .bicycle, .trip(.bicycle)),
            (.foot, 14.1, .bicycle, .trip(.vehicle)), (.foot, 3.1, .foot, .trip(.vehicle)),
            (.running, 6.5, nil, .event), (.running, 6.6, nil, .trip(.vehicle)),
            (.bicycle, 14, nil, .event), (.bicycle, 14.1, nil, .trip(.vehicle)),
            (.vehicle, 75, nil, .event), (.vehicle, 75.1, nil, .unknown), (.foot, 75.1, .vehicle, .unknown),
        ] as [(MovementMode, Double, MovementMode?, EndedEventRule.Outcome)])
    func speed(mode: MovementMode, metersPerSecond: Double, before: MovementMode?, outcome: EndedEventRule.Outcome) {
        #expect(
            Self.outcome(of: Self.trip(mode), seconds: 100, meters: 100 * metersPerSecond, modeBefore: before)
                == outcome)
    }
}
