import OdographCivilTime
import Glibc
import OdographHarness
import OdographJSON
import OdographPositioning
import OdographStore
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

/// Passes receiver reports with impossible numbers through reader, tracker, pipeline and store to the payload.
/// `ODOGRAPH_NUMBER_ROUNDS` sets the number of seeds.
@Suite("Numbers that no receiver can measure")
struct NumberMutationTests {
    private static let rounds = getenv("ODOGRAPH_NUMBER_ROUNDS").flatMap { UInt64(String(cString: $0)) } ?? 12
    private static let start = "2026-11-20T08:00:00.000Z"
    /// Settings that record every fix.
    private static let sampling = "{ sampling: { minimum_interval: 0, distance: 1, heading: 1, maximum_interval: 1 } }"

    /// Returns the records of a capture. The agent is restarted after every 50 events.
    private static func payloads(of lines: [String]) async throws -> [StoredRecord] {
        let folder = try TemporaryFolder()
        let capture = try folder.write(lines.joined(separator: "\n"), to: "capture.json")
        let reader = try CaptureReader(ReplaySettings(path: capture))
        var fixture = try await PipelineFixture(sampling, at: ScheduleFixture.moment(start))
        var count = 0
        while let event = try reader.next() {
            fixture.clock.advance(bySeconds: 1)
            await fixture.pipeline.receive(event)
            let status = await fixture.pipeline.lastLocation
            #expect(throws: Never.self) { try status.map { try JSONCoder.members(of: $0) } }
            count += 1
            guard count % 50 == 0 else { continue }
            await fixture.pipeline.commit()
            fixture = try await PipelineFixture(sampling, at: fixture.clock.now(), store: fixture.store)
        }
        await fixture.pipeline.stop()
        return try await fixture.store.unacknowledged(limit: .max)
    }

    /// Returns the violations of the contract in some records.
    private static func faults(in records: [StoredRecord]) throws -> [ContractValidator.Message] {
        let address = try DeviceAddress(root: "fleet", fleet: "acme", device: "van-7")
        return try ContractValidator.running().faults(
            in: records.map {
                ContractValidator.Message(
                    topic: address.topic($0.kind.channel), payload: String(decoding: $0.payload, as: UTF8.self))
            })
    }

    /// Returns the report of one second of a drive to the east at 12 m/s.
    private static func report(second: Int, replacing members: [String: String] = [:]) throws -> String {
        let time = try ScheduleFixture.time(start).advanced(bySeconds: Double(second))
        let right: [String: String] = [
            "class": "\"TPV\"", "device": "\"/dev/gps0\"", "mode": "3", "time": "\"\(time.iso8601)\"",
            "lat": "40.0", "lon": "\(-3 + Double(second) * 12 / 85_394)", "altHAE": "718.9", "altMSL": "667.3",
            "alt": "667.3", "eph": "4.2", "epx": "3.1", "epy": "3.2", "epv": "5.0", "eps": "0.4", "ept": "0.005",
            "epd": "10.0", "epc": "1.0", "speed": "12.0", "track": "90.0", "climb": "0.1",
        ]
        let members = right.merging(members) { $1 }.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return "{\(members.joined(separator: ","))}"
    }

    @Test(
        "An altitude whose rounding overflows is omitted from the record, which is stored and valid",
        arguments: ["1e308", "-1e308", "1.7976931348623157e308", "1e999", "100000.1"])
    func altitude(text: String) async throws {
        let lines = try (0..<30).map { try Self.report(second: $0, replacing: ["altMSL": text, "altHAE": text]) }
        let records = try await Self.payloads(of: lines)
        #expect(records.count { $0.kind == .location } > 20)
        for record in records where record.kind == .location {
            let location = try JSONCoder.decode(LocationMessage.self, from: record.payload).location
            #expect(location.coords.altitude == nil && location.coords.ellipsoidalAltitude == nil)
        }
        #expect(try Self.faults(in: records).isEmpty)
    }

    private static let fields = [
        "lat", "lon", "altHAE", "altMSL", "alt", "eph", "epx", "epy", "epv", "eps", "ept", "epd", "epc", "speed",
        "track", "climb", "mode", "time",
    ]
    private static let values = [
        "0", "-0", "-0.0", "1e308", "-1e308", "1e309", "-1e309", "1e999999", "5e-324", "-5e-324", "1e-999", "1e17",
        "9007199254740993", "18446744073709551616", "-9223372036854775809", "4294967296", "360", "-360", "359.99999",
        "90", "-90", "180", "-180", "179.99999999", "1000", "1000.01", "515", "1e4", "0.1e-10", "null", "true", "\"\"",
        "\"NaN\"", "\"Infinity\"", "[]", "{}", "[1e308]", "{\"value\":1e308}",
    ]
    private static let times = [
        "\"0000-01-01T00:00:00Z\"", "\"9999-12-31T23:59:59.999Z\"", "\"9999-12-31T23:59:59-23:59\"",
        "\"1970-01-01T00:00:00Z\"", "\"2026-11-20T08:00:60Z\"", "\"2026-02-30T00:00:00Z\"", "1795000000", "1e308",
    ]

    private static func mutated(second: Int, using random: inout SplitMix64) throws -> String {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...9: return try report(second: second)
        case 10:
            let value = values[Int.random(in: 0..<values.count, using: &random)]
            return
                #"{"class":"DEVICE","path":"/dev/gps0","activated":\#(value),"cycle":\#(value),"mincycle":\#(value)}"#
        case 11:
            let value = values[Int.random(in: 0..<values.count, using: &random)]
            return
                #"{"class":"SKY","hdop":\#(value),"uSat":\#(value),"satellites":[{"PRN":\#(value),"el":\#(value),"used":true}]}"#
        case 12:
            let value = values[Int.random(in: 0..<values.count, using: &random)]
            return #"{"class":"ATT","heading":\#(value),"pitch":\#(value),"mag_st":"\#(second)"}"#
        default: break
        }
        var members: [String: String] = [:]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let field = fields[Int.random(in: 0..<fields.count, using: &random)]
            if field == "time", Bool.random(using: &random) {
                members[field] = times[Int.random(in: 0..<times.count, using: &random)]
            } else if Int.random(in: 0..<3, using: &random) == 0 {
                members[field] = "\(Double(bitPattern: random.next()))"
            } else {
                members[field] = values[Int.random(in: 0..<values.count, using: &random)]
            }
        }
        return try report(second: second, replacing: members)
    }

    @Test("Any report leads to records that are not empty and that conform to the contract", arguments: 0..<rounds)
    func mutations(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var lines = [try Self.report(second: 0)]
        for second in 1..<400 { lines.append(try Self.mutated(second: second, using: &random)) }
        let records = try await Self.payloads(of: lines)
        #expect(records.count { $0.kind == .location } > 50)
        #expect(!records.contains { $0.payload.isEmpty })
        let faults = try Self.faults(in: records)
        #expect(faults.isEmpty, "seed \(seed): \(faults.first.map { "\($0.payload) \($0.errors ?? [])" } ?? "")")
    }
}
