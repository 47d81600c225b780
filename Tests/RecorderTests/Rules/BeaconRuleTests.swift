import OdographCivilTime
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Rules about beacons")
struct BeaconRuleTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)

    /// Returns a record. Its time is that of its number, seconds.
    private static func record(_ seq: Int64, _ action: BeaconReading.Action?) -> LocationEvent {
        var event = LocationEvent(
            uuid: "u\(seq)", epoch: 3, seq: seq, timestamp: start.advanced(bySeconds: Double(seq)), age: 0,
            isMoving: true, odometer: 0, odometerError: 0,
            coords: LocationCoordinates(latitude: 40, longitude: -3, accuracy: 4, speed: 10, heading: -1),
            activity: ActivityReading(type: .inVehicle, confidence: 90))
        guard let action else { return event }
        event.event = .beacon
        event.beacon = BeaconReading(identifier: "trailer-7", action: action, rssi: -70)
        return event
    }

    @Test(
        "A beacon triggers if the rule has its name and the change, or has none",
        arguments: [
            ([], PresenceRuleEvent.allCases, ["has trailer-7 aboard", "no longer has trailer-7 aboard"]),
            (["trailer-7"], [.exit], ["no longer has trailer-7 aboard"]), (["trailer-8"], [.enter, .exit], []),
        ] as [([String], [PresenceRuleEvent], [String])])
    func triggers(identifiers: [String], events: [PresenceRuleEvent], expected: [String]) {
        let rule = Rule(
            name: "trailer", condition: .beacon(identifiers: Set(identifiers), events: Set(events)),
            target: .command(["/bin/true"]))
        var engine = RuleEngine(rules: [rule])
        let vehicle = RuleVehicle(key: 7, fleet: "acme", device: "van-7")
        let changes: [BeaconReading.Action?] = [nil, .enter, .exit, BeaconReading.Action(rawValue: "NEW")]
        var found: [RuleNotification] = []
        for (seq, action) in zip(Int64(1)..., changes) {
            let event = Self.record(seq, action)
            let now = RuleMoment(date: event.timestamp, instant: .now)
            found += engine.handle(event, of: vehicle, at: now).notifications
        }
        #expect(found.map(\.text) == expected.map { "van-7 of acme \($0)" })
        for notification in found {
            #expect(notification.phase == .event && notification.when == .beacon && notification.position != nil)
            #expect(notification.beacon?.identifier == "trailer-7")
        }
    }
}
