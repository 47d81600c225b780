import OdographCivilTime
import Testing

@Suite("A time as text")
struct TimestampTests {
    @Test("A written time is read back, on every day of 1600 to 2400, at varying times of the day")
    func roundTrip() {
        for day in Int64(-135_140)...157_419 {
            let instant = Timestamp(millisecondsSinceEpoch: day * 86_400_000 + (day &* 7_919_317) & 0x3ff_ffff)
            guard Timestamp(iso8601: instant.iso8601) == instant else {
                Issue.record("\(instant)")
                return
            }
        }
    }

    @Test(
        "Every accepted form is read to the millisecond",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1),
            ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("1970-01-01T01:00:00+01:00", 0),
            ("1969-12-31T20:00:00-0400", 0), ("1970-01-01 00:00:00z", 0), ("1970-01-01t00:00:00,5Z", 500),
            ("1970-01-01T00:00:00.0019999Z", 1), ("1970-01-01T00:00:00.12Z", 120),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("2000-02-29T12:00:00Z", 951_825_600_000), ("1970-01-01T23:59:00+23:59", 0),
        ] as [(String, Int64)])
    func accepted(text: String, milliseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.millisecondsSinceEpoch == milliseconds)
    }

    @Test(
        "A text that is not a time with a zone is refused",
        arguments: [
            "", "Z", "2026", "2026-11-21", "2026-11-21T09:15:02", "2026-11-21T09:15Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z", "2026-11-21T09:15:61Z",
            "2026-11-21T09:15:02.Z", "2026-11-21T09:15:02Z ", " 2026-11-21T09:15:02Z", "2026-11-21T09:15:02+24:00",
            "2026-11-21T09:15:02+01:60", "2026-11-21T09:15:02+01", "2026-11-21T09:15:02+1:00", "+2026-11-21T09:15:02Z",
            "-001-11-21T09:15:02Z", "2026/11/21T09:15:02Z", "2026-11-21T09.15.02Z", "2026-11-21T09:15:02ZZ",
            "２026-11-21T09:15:02Z", "2026-11-21T09:15:02.1e3Z", "2026-11-21T0x:15:02Z", "2026-11-21T09:15:02\u{0}Z",
        ])
    func refused(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test("A truncated text is refused, and any other byte in it does not cause a crash")
    func damage() {
        let whole = Array("2026-11-21T09:15:02.123+01:30".utf8)
        for count in 0..<whole.count {
            #expect(Timestamp(iso8601: String(decoding: whole.prefix(count), as: UTF8.self)) == nil)
        }
        for index in whole.indices {
            for value in UInt8.min...UInt8.max {
                var bytes = whole
                bytes[index] = value
                _ = bytes.withUnsafeBufferPointer { Timestamp(iso8601Bytes: $0) }
            }
        }
    }

    @Test(
        "An instant outside the format's years is written with the nearest year",
        arguments: [Int64.min, .max])
    func extremes(milliseconds: Int64) {
        let text = Timestamp(millisecondsSinceEpoch: milliseconds).iso8601
        #expect(text.utf8.count == 24)
        #expect(text.hasPrefix(milliseconds < 0 ? "0000-" : "9999-"))
    }
}

@Suite("Arithmetic with instants")
struct TimestampReckoningTests {
    @Test(
        "Arithmetic beyond the range gives the nearest instant",
        arguments: [(1e300, Int64.max), (-1e300, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0)])
    func seconds(seconds: Double, expected: Int64) {
        #expect(Timestamp(millisecondsSinceEpoch: 0).advanced(bySeconds: seconds).millisecondsSinceEpoch == expected)
    }

    @Test("The time between the two extreme instants is computed")
    func farthest() {
        let (first, last) = (Timestamp(millisecondsSinceEpoch: .min), Timestamp(millisecondsSinceEpoch: .max))
        #expect(last.advanced(byMilliseconds: 1) == last && first.advanced(byMilliseconds: -1) == first)
        #expect(abs(last.seconds(since: first) - 18_446_744_073_709_551.615) < 10)
    }
}
