import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

/// The reading of a location in one pass, beside the decoder.
@Suite("The usual form of a location")
struct LocationScanTests {
    private static let full = LocationMessage(
        deviceID: "van-7",
        location: LocationEvent(
            uuid: "0192f0c4-7d5e-7a31-8b52-000000000001", epoch: 1_795_000_000, seq: 42,
            timestamp: Timestamp(millisecondsSinceEpoch: 1_790_000_000_123), clockUntrusted: true, age: 120,
            event: .heartbeat, isMoving: true, odometer: 123_456.75, odometerError: 0.001,
            coords: LocationCoordinates(
                latitude: 48.2081743, longitude: -16.3738189, accuracy: 4.2, speed: -1, heading: 359.9,
                altitude: 171.25, ellipsoidalAltitude: 1e-7),
            activity: ActivityReading(type: .inVehicle, confidence: 97),
            battery: BatteryReading(level: 0.5, isCharging: false),
            extras: ["driver": .string("Jürgen"), "order": .integer(48_213), "load": .number(0.25)],
            tag: "work",
            vehicle: VehicleReading(
                speed: 13.61, odometer: 184_223_000, ignition: true, engineSpeed: 1430, batteryVoltage: 27.9,
                fuelLevel: 0.625, stateOfCharge: 0.5, source: .j1939, age: 840)))

    private static func sparse() -> LocationMessage {
        var message = full
        (message.location.uuid, message.location.clockUntrusted, message.location.event) = (nil, nil, nil)
        (message.location.battery, message.location.extras, message.location.tag) = (nil, nil, nil)
        message.location.vehicle = nil
        message.location.coords.altitude = nil
        return message
    }

    @Test("The messages of an agent have the usual form")
    func agent() throws {
        for message in [Self.full, Self.sparse()] {
            #expect(LocationMessage(usualForm: try JSONCoder.bytes(of: message)) == message)
        }
    }

    /// The texts that are put in the place of a value, or between two bytes.
    private static let parts = [
        "null", "true", "false", "0", "-0", "-0.0", "1.0", "1e3", "1E+2", "1e-400", "1e400", "01", "1.", ".5", "-",
        "+1", "NaN",
        "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775808", "0.1e1", "5e-324",
        "0.30000000000000004", "12345678901234567890123", "\"\"", "\"text\"", "\"\\u00e4\"", "\"\\n\"", "\"\u{1}\"",
        "\"ä\"",
        "\"2026-11-21T09:15:02.000Z\"", "\"2026-11-21T09:15:02+01:00\"", "\"2026-13-21T09:15:02Z\"", "{}", "[]",
        "{\"a\":1}", "[1,2]", ",", ":", "{", "}", "\"", " ", "\n", "\t", "\\", "\"age\":7,",
        "\"other\":[{\"x\":null}],",
        "\"seq\":3,", "\"extras\":{\"a\":1,\"a\":2},", "\"extras\":{\"a\":1.0},", "\"tag\":null,", "\u{FEFF}",
    ]

    /// Returns a payload with random changes.
    private static func mutated(_ payload: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = payload
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<max(bytes.count, 1), using: &random)
            let part = Array(parts[Int.random(in: 0..<parts.count, using: &random)].utf8)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.insert(contentsOf: part, at: min(place, bytes.count))
            case 1 where !bytes.isEmpty: bytes.remove(at: place)
            case 2 where !bytes.isEmpty: bytes[place] = UInt8.random(in: 0x20..<0x7F, using: &random)
            case 3:
                // A value is what follows a colon.
                let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
                guard let colon = colons.randomElement(using: &random) else { break }
                let end = bytes[(colon + 1)...].firstIndex { [UInt8(ascii: ","), UInt8(ascii: "}")].contains($0) }
                bytes.replaceSubrange((colon + 1)..<(end ?? bytes.count), with: part)
            default:
                // A member begins after a brace or a comma.
                let begins = bytes.indices.filter { [UInt8(ascii: "{"), UInt8(ascii: ",")].contains(bytes[$0]) }
                guard let begin = begins.randomElement(using: &random) else { break }
                bytes.insert(contentsOf: part, at: begin + 1)
            }
        }
        return bytes
    }

    @Test("A text that is read is read as by the decoder, and the decoder accepts it", arguments: 0..<8)
    func mutations(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let payloads = try [Self.full, Self.sparse()].map { try JSONCoder.bytes(of: $0) }
        var readCount = 0
        for _ in 0..<4000 {
            let payload = Self.mutated(payloads[Int.random(in: 0...1, using: &random)], &random)
            guard String(validating: payload, as: UTF8.self) != nil,
                let read = LocationMessage(usualForm: payload)
            else { continue }
            readCount += 1
            let decoded = try? JSONCoder.decode(LocationMessage.self, from: payload)
            #expect(read == decoded, "\(String(decoding: payload, as: UTF8.self))")
        }
        // Otherwise nothing was compared.
        #expect(readCount > 100)
    }

    @Test(
        "A text with something unusual is left to the decoder",
        arguments: [
            ("\"age\":120", "\"age\":120,\"age\":121"), ("\"tag\":\"work\"", "\"tag\":\"w\\u006frk\""),
            ("\"tag\":\"work\"", "\"tag\":null"), ("\"tag\":\"work\"", "\"taste\":1"), ("\"age\":120", "\"age\":120.0"),
            ("\"age\":120", "\"age\":\"120\""), ("0.25", "1.0"), ("\"mock\":false,", ""),
            ("{\"device_id\"", "[{\"device_id\""),
        ])
    func unusual(before: String, after: String) throws {
        let text = String(decoding: try JSONCoder.bytes(of: Self.full), as: UTF8.self)
        try #require(text.contains(before))
        #expect(LocationMessage(usualForm: Array(text.replacing(before, with: after).utf8)) == nil)
    }
}
