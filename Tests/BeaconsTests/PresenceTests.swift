import OdographBeacons
import OdographModel
import Testing

@Suite("The presence of beacons")
struct PresenceTests {
    private static var rule: BeaconRule {
        var rule = BeaconRule()
        rule.known = ["trailer": .name("Trailer*")]
        rule.minimumSignalDBm = -90
        return rule
    }

    private static func presence(_ present: [String] = []) -> BeaconPresence {
        var presence = BeaconPresence(rule: rule, present: present)
        presence.resume(at: 1000)
        return presence
    }

    @Test(
        "A beacon enters with enough strong advertisements in a short time",
        arguments: [
            ([(1000, -70), (2000, -80), (3000, -60)], -70), ([(1000, -70), (2000, -70)], nil),
            ([(1000, -91), (2000, -95), (3000, -60)], nil), ([(1000, -95), (2000, -60), (3000, -90)], -90),
            // A burst is one sample.
            ([(1000, -70), (1001, -70), (1002, -70), (1003, -70)], nil),
            ([(1000, -70), (9000, -70), (17_001, -70)], nil), ([(1000, -70), (5000, -70), (9000, -70)], -70),
            // No level of a receiver, and a clock that goes backwards.
            ([(1000, 127), (2000, 127), (3000, 127)], nil), ([(3000, -70), (2000, -70), (1000, -70)], nil),
        ] as [([(Int64, Int)], Int?)])
    func enter(samples: [(Int64, Int)], median: Int?) {
        var presence = Self.presence()
        let events = samples.compactMap { presence.observe("trailer", signalDBm: $0.1, at: $0.0) }
        #expect(
            events
                == (median.map { [BeaconEvent(identifier: "trailer", action: .enter, signalDBm: $0)] } ?? []))
        #expect(presence.present == (median == nil ? [] : ["trailer"]))
    }

    @Test("A beacon leaves when it is not heard for the configured time, and a weak signal keeps it")
    func exit() {
        var presence = Self.presence(["trailer", "unknown"])
        #expect(presence.present == ["trailer"])
        #expect(presence.dueUptimeMilliseconds == 61_000)
        #expect(presence.observe("trailer", signalDBm: -99, at: 50_000) == nil)
        #expect(presence.advance(to: 109_999) == [])
        #expect(presence.observe("trailer", signalDBm: -101, at: 109_999) == nil)
        #expect(presence.advance(to: 110_000) == [BeaconEvent(identifier: "trailer", action: .exit, signalDBm: -99)])
        #expect(presence.present == [])
        #expect(presence.dueUptimeMilliseconds == nil)
    }

    @Test("Time in which the receiver does not work does not count")
    func interruption() {
        var presence = Self.presence(["trailer"])
        presence.interrupt()
        #expect(presence.dueUptimeMilliseconds == nil)
        #expect(presence.advance(to: 500_000) == [])
        presence.resume(at: 500_000)
        #expect(presence.dueUptimeMilliseconds == 560_000)
        #expect(presence.advance(to: 560_000).map(\.signalDBm) == [nil])
    }
}
