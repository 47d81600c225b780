import OdographCivilTime
import OdographHarness
import OdographJSON
import Testing
import OdographWire

@Suite("The JSON encoder that cannot fail")
struct JSONTreeTests {
    private static func text(_ value: some Encodable) -> String {
        "{" + String(decoding: JSONCoder.objectTail(of: value), as: UTF8.self)
    }

    /// Returns a random value with nested members of every kind.
    private static func value(depth: Int, using random: inout SplitMix64) -> JSONValue {
        func text() -> String {
            let characters = [
                "a", "Z", "0", "\"", "\\", "/", "\n", "\t", "\r", "\u{8}", "\u{C}", "\u{1}", "\u{1F}",
                "\u{7F}", "é", "\u{2028}", "🚐", " ",
            ]
            return (0..<Int.random(in: 0...5, using: &random)).map { _ in
                characters[Int.random(in: 0..<characters.count, using: &random)]
            }.joined()
        }
        switch Int.random(in: 0..<(depth > 3 ? 5 : 7), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64(truncatingIfNeeded: random.next()))
        case 3:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : Double(Int64.random(in: -9999...9999, using: &random)) / 8)
        case 4: return .string(text())
        case 5:
            return .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth + 1, using: &random) })
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                members[text()] = value(depth: depth + 1, using: &random)
            }
            return .object(members)
        }
    }

    @Test("The encoder writes the same bytes as the standard library", arguments: UInt64(0)..<200)
    func agrees(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var members: [String: JSONValue] = [:]
        for index in 0..<6 { members["key\(index)"] = Self.value(depth: 0, using: &random) }
        let expected = String(decoding: try JSONCoder.bytes(of: members), as: UTF8.self)
        #expect(Self.text(members) == expected)
    }

    @Test("The encoder writes each message of the contract as the standard library does")
    func messages() throws {
        let time = Timestamp(millisecondsSinceEpoch: 1_795_000_000_123)
        var event = LocationEvent(
            uuid: "u", epoch: 1, seq: .max, timestamp: time, clockUntrusted: true, age: 7, event: .geofence,
            isMoving: true, odometer: 12.5, odometerError: 0.1,
            coords: LocationCoordinates(
                latitude: -0.0000001, longitude: 180, accuracy: -1, speed: 0, heading: 359.9, altitude: -3,
                ellipsoidalAltitude: 1e5),
            activity: ActivityReading(type: .still, confidence: 100),
            battery: BatteryReading(level: 0.5, isCharging: true), extras: ["b": .number(1), "a": .array([.null])],
            tag: "private")
        event.geofence = GeofenceTrigger(identifier: "depot", action: .exit, occurredAt: time, confirmedAt: time)
        event.geofence?.dwell = 3.5
        let location = LocationMessage(deviceID: "van-7", location: event)
        #expect(Self.text(location) == (try JSONCoder.string(of: location)))
        var revision = TimelineEventRevision(
            eventID: "e", uuid: nil, epoch: nil, seq: nil, revision: 2, isProvisional: true, type: .inTransport,
            startDate: time, endDate: nil, lastUpdateDate: time, duration: 1.25)
        revision.waypoints = [Waypoint(latitude: 1, longitude: 2, accuracy: 3, timestamp: time, speed: 4)]
        let timeline = TimelineMessage(deviceID: "van-7", timelineEvent: revision)
        #expect(Self.text(timeline) == (try JSONCoder.string(of: timeline)))
        #expect(Self.text(timeline).contains("\"end_date\":null"))
        let status = StatusMessage(
            deviceID: "van-7", state: .online, reason: .connected, connection: 3, bootID: "b", runID: "r", version: "1",
            timestamp: time,
            problems: [Problem(code: .storeFailed, text: "a \"disk\"\n", since: time)])
        #expect(Self.text(status) == (try JSONCoder.string(of: status)))
    }

    @Test("The encoder writes null for a number that JSON cannot represent, and is never empty")
    func notFinite() {
        let members: [String: JSONValue] = ["a": .number(.infinity), "b": .number(.nan), "c": .number(1)]
        #expect(Self.text(members) == #"{"a":null,"b":null,"c":1}"#)
        #expect(Self.text([String: JSONValue]()) == "{}")
        #expect(Self.text(5) == "{}")
    }
}
