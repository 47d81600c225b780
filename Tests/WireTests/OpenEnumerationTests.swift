import OdographHarness
import OdographJSON
import Testing
import OdographWire

@Suite("Values that a later version can extend")
struct OpenEnumerationTests {
    /// A type, and the place of its list in `config/schemas`.
    struct Values: Sendable, CustomTestStringConvertible {
        var type: any OpenEnumeration.Type
        var schema: String
        var place: [String]

        init(_ type: any OpenEnumeration.Type, _ schema: String, _ place: String) {
            self.type = type
            self.schema = schema
            self.place = place.split(separator: ".").map(String.init)
        }

        var testDescription: String { "\(type)" }

        static let all = [
            Values(LocationEvent.Cause.self, "definitions", "definitions.location_event.properties.event.enum"),
            Values(ActivityReading.Kind.self, "definitions", "definitions.activity.properties.type.enum"),
            Values(GeofenceTrigger.Action.self, "definitions", "definitions.geofence_event.properties.action.enum"),
            Values(GeofenceTrigger.Reason.self, "definitions", "definitions.geofence_event.properties.reason.enum"),
            Values(TimelineEventRevision.Kind.self, "definitions", "definitions.timeline_event.properties.type.enum"),
            Values(VehicleReading.Source.self, "definitions", "definitions.vehicle.properties.source.enum"),
            Values(DrivingReading.Kind.self, "definitions", "definitions.driving_event.properties.kind.enum"),
            Values(BeaconReading.Action.self, "definitions", "definitions.beacon_event.properties.action.enum"),
            Values(
                TimelineEventRevision.TransportMode.self, "definitions",
                "definitions.timeline_event.properties.transport_mode.enum"),
            Values(
                TimelineEventRevision.GapReason.self, "definitions",
                "definitions.timeline_event.properties.reason.enum"),
            Values(Problem.Code.self, "definitions", "definitions.problem.properties.code.examples"),
            Values(StatusMessage.State.self, "status-message", "properties.state.enum"),
            Values(StatusMessage.Reason.self, "status-message", "properties.reason.enum"),
            Values(
                TrackingState.OffScheduleMode.self, "reported-message",
                "definitions.tracking_state.properties.off_schedule.enum"),
            Values(LedgerRange.Kind.self, "reported-message", "definitions.ledger_range.properties.kind.enum"),
            Values(LedgerRange.Reason.self, "reported-message", "definitions.ledger_range.properties.reason.enum"),
            Values(CommandRequest.Action.self, "command", "properties.action.enum"),
        ]
    }

    @Test("The known values are those of the contract", arguments: Values.all)
    func known(values: Values) throws {
        let path = "\(Corpora.projectRoot)/config/schemas/\(values.schema).schema.json"
        var value = try JSONCoder.decode(JSONValue.self, from: FileContents.bytes(path))
        for key in values.place {
            guard case .object(let members) = value, let next = members[key] else {
                Issue.record("\(values.schema) has no \(key) at this place")
                return
            }
            value = next
        }
        #expect(value == .array(values.type.spellings.map { .string($0) }))
    }

    @Test("A value of a later version is readable and keeps its bytes", arguments: Values.all)
    func unknown(values: Values) throws {
        #expect(try values.type.isKept("of_a_later_version"))
    }

    @Test("A message with values of a later version keeps its bytes")
    func message() throws {
        let text =
            #"{"action":"ORBIT","confirmed_at":"2026-11-21T09:15:02.000Z","identifier":"depot","#
            + #""occurred_at":"2026-11-21T09:15:02.000Z","reason":"gravity"}"#
        let trigger = try JSONCoder.decode(GeofenceTrigger.self, from: Array(text.utf8))
        #expect(trigger.action.rawValue == "ORBIT" && trigger.action != .enter)
        #expect(try JSONCoder.string(of: trigger) == text)
    }
}

extension OpenEnumeration {
    fileprivate static var spellings: [String] { knownValues.map(\.rawValue) }

    /// Returns whether a text decodes to a value with this spelling, which encodes to the same text.
    fileprivate static func isKept(_ text: String) throws -> Bool {
        let value = try JSONCoder.decode(Self.self, from: .string(text))
        return try value.rawValue == text && "\(value)" == text && JSONCoder.value(of: value) == .string(text)
    }
}
