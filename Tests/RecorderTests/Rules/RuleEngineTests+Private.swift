import OdographCivilTime
import OdographWire
import Testing

@testable import OdographRecorder

/// Rules about private use.
extension RuleEngineTests {
    @Test("A record that tells after a private use what happened in it triggers nothing, and a later one does")
    func afterPrivateUse() {
        var engine = RuleEngine(rules: [rule(.geofence(identifiers: ["depot"], events: [.exit]))])
        func told(_ event: LocationEvent) -> Bool {
            !engine.handle(event, of: vehicle, at: moment(20)).notifications.isEmpty
        }
        func exit(at seconds: Double, known: Double) -> LocationEvent {
            var event = crossing(.exit, at: seconds)
            event.timestamp = start.advanced(bySeconds: known)
            return event
        }
        var last = record(5, at: 5)
        last.tag = "private"
        #expect(!told(last))
        #expect(!told(exit(at: 4, known: 8)))
        #expect(told(exit(at: 6, known: 9)))
        // A backlog from before the private use is none of it.
        #expect(told(exit(at: 1, known: 2)))
        var trip = TimelineEventRevision(
            eventID: "e", uuid: nil, epoch: 3, seq: 12, revision: 1, isProvisional: false, type: .inTransport,
            startDate: start, endDate: start.advanced(bySeconds: 11), lastUpdateDate: start, duration: 11)
        trip.tag = "private"
        _ = engine.handle(trip, of: vehicle, at: moment(20))
        #expect(!told(exit(at: 10, known: 14)))
    }
}
