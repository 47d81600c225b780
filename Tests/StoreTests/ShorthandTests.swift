import CivilTime
import Harness
import Testing

@testable import Store

@Suite("Payloads in few bytes")
struct ShorthandTests {
    private static let location = """
        {"device_id":"van-7","location":{"activity":{"confidence":96,"type":"in_vehicle"},"age":120,\
        "battery":{"is_charging":true,"level":0.93},"coords":{"accuracy":4.2,"altitude":667,\
        "ellipsoidal_altitude":718.9,"heading":271.5,"latitude":40.4168123,"longitude":-3.7038123,"speed":13.9},\
        "epoch":1763716502,"extras":{"driver":"42 ü"},"is_moving":true,"mock":false,"odometer":120345.2,\
        "odometer_error":18.1,"sample":false,"seq":1842,"timestamp":"2026-11-21T09:15:02.000Z",\
        "uuid":"01234567-89ab-8def-8123-456789abcdef"}}
        """
    private static let timeline = """
        {"device_id":"van-7","timeline_event":{"duration":1312,"end_date":null,"epoch":1763716502,\
        "event_id":"01234567-89ab-8def-8123-456789abcdef","is_provisional":false,"revision":3,"seq":1842,\
        "uuid":"11234567-89ab-8def-8123-456789abcdef","waypoints":[{"accuracy":4,"latitude":1,"longitude":2,"speed":3}]}}
        """

    private static func record(_ payload: some Sequence<UInt8>) -> StoredRecord {
        StoredRecord(
            epoch: 1_763_716_502, seq: 1842, kind: .location,
            timestamp: Timestamp(millisecondsSinceEpoch: 1_795_252_502_000), payload: Array(payload))
    }

    private static func read(_ bytes: [UInt8], as record: StoredRecord) -> [UInt8] {
        bytes.withUnsafeBytes {
            Shorthand.payload(of: $0, epoch: record.epoch, seq: record.seq, timestamp: record.timestamp)
        }
    }

    @Test("A location takes a third of its bytes")
    func size() {
        let bytes = Shorthand.bytes(of: Self.record(Self.location.utf8))
        #expect(bytes.count < Self.location.utf8.count / 3, "\(bytes.count) of \(Self.location.utf8.count)")
        #expect(Shorthand.bytes(of: Self.record(Self.timeline.utf8)).count < Self.timeline.utf8.count * 2 / 3)
    }

    @Test(
        "Whatever is stored comes back byte for byte",
        arguments: [
            location, timeline, "", "{}", "no JSON", "\u{1}\u{2}", "\u{0}", "{\"device_id\":\"", "\u{7F}\u{80}ÿ",
            location.replacing("1842", with: "18420"), location.replacing("1842", with: "184"),
            location.replacing("1763716502", with: "17637165021"), location.replacing(":02.000Z", with: ":02.001Z"),
            location.replacing("89ab", with: "89AB"), location.replacing("cdef\"}}", with: "cde\"}}"),
            location.replacing("cdef\"}}", with: "cdef\"}"), location.replacing("driver", with: "a\u{1F}b"),
            String(location.dropLast(3)), location + location,
        ])
    func roundTrip(payload: String) {
        let record = Self.record(payload.utf8)
        #expect(Self.read(Shorthand.bytes(of: record), as: record) == record.payload)
    }

    @Test("JSON that an earlier version stored stands for itself", arguments: [location, timeline, "{}", ""])
    func plain(payload: String) {
        let record = Self.record(payload.utf8)
        #expect(Self.read(record.payload, as: record) == record.payload)
    }

    @Test("Cut and changed texts come back byte for byte", arguments: UInt64(0)..<8)
    func changed(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let texts = [Array(Self.location.utf8), Array(Self.timeline.utf8)]
        for _ in 0..<500 {
            var payload: [UInt8] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let text = texts[Int.random(in: 0...1, using: &random)]
                let start = Int.random(in: text.indices, using: &random)
                payload += text[start..<Int.random(in: start...text.count, using: &random)]
            }
            if Bool.random(using: &random), !payload.isEmpty {
                payload[Int.random(in: payload.indices, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            let record = Self.record(payload)
            #expect(Self.read(Shorthand.bytes(of: record), as: record) == payload)
        }
    }

    @Test("Bytes that nobody wrote are no reason to fail", arguments: UInt64(0)..<8)
    func noise(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: 0...40, using: &random)
            }
            let payload = Self.read(bytes, as: Self.record([]))
            #expect(payload.count <= bytes.count * 100)
        }
    }
}
