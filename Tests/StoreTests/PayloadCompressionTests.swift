import OdographHarness
import Testing

@testable import OdographStore

@Suite("Compression of payloads")
struct PayloadCompressionTests {
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

    private static func read(_ row: [UInt8]) -> [UInt8]? { row.withUnsafeBytes(PayloadCompression.payload) }

    @Test("A location is compressed to a third, a timeline event to half")
    func size() {
        let row = PayloadCompression.compressed(Array(Self.location.utf8))
        #expect(row.count < Self.location.utf8.count / 3, "\(row.count) of \(Self.location.utf8.count)")
        let event = PayloadCompression.compressed(Array(Self.timeline.utf8))
        #expect(event.count < Self.timeline.utf8.count / 2, "\(event.count) of \(Self.timeline.utf8.count)")
    }

    @Test(
        "Every payload is restored byte for byte",
        arguments: [
            location, timeline, "{}", "no JSON", "\u{1}\u{2}", "\u{0}", "{\"device_id\":\"", "\u{7F}\u{80}ÿ",
            String(location.dropLast(3)), String(repeating: location, count: 200),
        ])
    func roundTrip(payload: String) {
        let row = PayloadCompression.compressed(Array(payload.utf8))
        #expect(Self.read(row) == Array(payload.utf8))
    }

    @Test("Random payloads are restored byte for byte", arguments: UInt64(0)..<8)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let count = Int.random(in: 1...3_000, using: &random)
            let payload = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(Self.read(PayloadCompression.compressed(payload)) == payload)
        }
    }

    @Test("A payload that is not compressed is readable; one in another format, and an empty one, are damage")
    func formats() {
        #expect(Self.read([0] + Array("{}".utf8)) == Array("{}".utf8))
        for row in [[], [0], [0xFF], Array("{}".utf8), [1, 2, 3], PayloadCompression.compressed([])] {
            #expect(Self.read(row) == nil, "\(row)")
        }
    }

    @Test("A truncated or changed row gives nil or some payload, without a crash", arguments: UInt64(0)..<8)
    func damaged(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let row = PayloadCompression.compressed(Array(Self.location.utf8))
        for _ in 0..<500 {
            var damaged = Array(row.prefix(Int.random(in: 0...row.count, using: &random)))
            for _ in 0..<Int.random(in: 0...3, using: &random) where !damaged.isEmpty {
                // The length field stays: a changed one could ask for 64 MB.
                let index = Int.random(in: damaged.indices, using: &random)
                if !(1..<5).contains(index) { damaged[index] = .random(in: .min ... .max, using: &random) }
            }
            let payload = Self.read(damaged)
            if damaged.count < row.count, damaged.first == 0xFF { #expect(payload == nil) }
        }
        #expect(Self.read([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x03]) == nil)
    }

}
