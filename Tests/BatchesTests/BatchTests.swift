import OdographBatches
import OdographCompression
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@Suite("Batches")
struct BatchTests {
    private static let identity = RandomRecords.identity

    private func encoder(hasSeed: Bool = true) -> BatchEncoder {
        BatchEncoder(deviceID: "van-7", epoch: Self.identity.epoch, seed: hasSeed ? Self.identity.seed : nil)
    }

    @Test("Random records come back byte for byte", arguments: 0..<40)
    func roundTrip(seed: Int) throws {
        var generator = RandomRecords(seed: UInt64(seed))
        for _ in 0..<10 {
            let records = generator.batch(0...40)
            for hasSeed in [true, false] {
                let message = try #require(encoder(hasSeed: hasSeed).message(of: records))
                #expect(try BatchDecoder.records(of: message) == records)
            }
        }
    }

    private func record(_ seq: Int64, _ coordinates: String, event: String = "") -> BatchRecord {
        let uuid = Self.identity.identity(forSeq: seq).uuid
        let text =
            "{\"device_id\":\"van-7\",\"location\":{\"coords\":\(coordinates),\"epoch\":\(Self.identity.epoch)\(event),"
            + "\"is_moving\":true,\"seq\":\(seq),\"timestamp\":\"2026-09-21T14:13:2\(seq).000Z\",\"uuid\":\"\(uuid)\"}}"
        return BatchRecord(channel: .location, seq: seq, payload: Array(text.utf8))
    }

    @Test("The document has a table for each shape, with differences, instants, constants and lists")
    func document() throws {
        let records = [
            record(1, "{\"latitude\":47.5,\"speed\":-0}"), record(2, "{\"latitude\":47.25,\"speed\":7}"),
            record(3, "{\"latitude\":47.25,\"speed\":8}", event: ",\"event\":\"motionchange\""),
        ]
        let document = try #require(encoder().document(of: records))
        let expected = """
            {"device_id":"van-7","epoch":1790000000,"seed":"0123456789abcdeffffffffffffffff6","tables":[\
            {"channel":"location","count":2,"records":{"location":{"coords":{"latitude":[2,4750,-25],\
            "speed":["v",-0,7]},"is_moving":true,"seq":[0,1,1],"timestamp":["t",1790000001000,1000]}}},\
            {"channel":"location","count":1,"records":{"location":{"coords":{"latitude":47.25,"speed":8},\
            "event":"motionchange","is_moving":true,"seq":3,"timestamp":"2026-09-21T14:13:23.000Z"}}}]}
            """
        #expect(String(decoding: document, as: UTF8.self) == expected)
        #expect(try BatchDecoder.records(ofDocument: document) == records)
    }

    @Test("The recorded batch, which the decoders in Python and JavaScript read too, has the recorded records")
    func recorded() throws {
        let path = Corpora.projectRoot + "/Tests/Recorded/batch.json"
        let recorded = try JSONCoder.decode(JSONValue.self, from: FileContents.bytes(path))
        guard case .object(let members) = recorded, case .string(let document)? = members["document"],
            case .array(let rows)? = members["records"]
        else {
            Issue.record("not the recorded batch")
            return
        }
        let found = try BatchDecoder.records(ofDocument: Array(document.utf8))
        #expect(
            found.map {
                .array([
                    .string($0.channel.rawValue), .integer($0.seq),
                    .string(String(decoding: $0.payload, as: UTF8.self)),
                ])
            } == rows)
    }

    @Test("A record that is not canonical and one that is no JSON travel as text")
    func plain() throws {
        let records = [
            BatchRecord(channel: .timeline, seq: 4, payload: Array("{ \"device_id\": 1 }".utf8)),
            BatchRecord(channel: .givenUp, seq: 5, payload: Array("\u{1} \"".utf8)),
        ]
        let document = try #require(encoder(hasSeed: false).document(of: records))
        let expected = #"""
            {"device_id":"van-7","epoch":1790000000,"plain":[["timeline",4,"{ \"device_id\": 1 }"],\#
            ["given_up",5,"\u0001 \""]],"tables":[]}
            """#
        #expect(String(decoding: document, as: UTF8.self) == expected)
        #expect(try BatchDecoder.records(ofDocument: document) == records)
    }

    @Test("A payload that is not UTF-8 makes no batch")
    func notUTF8() {
        #expect(encoder().message(of: [BatchRecord(channel: .location, seq: 1, payload: [0xFF])]) == nil)
    }

    private static let table = #""channel":"location","count":1,"records":"#

    @Test(
        "A document that is no batch is an error with its reason",
        arguments: [
            ("[]", "the document is no object"), ("{}", "device_id or epoch is missing"),
            (#"{"device_id":1}"#, "device_id is no string"), (#"{"epoch":1.5}"#, "epoch is no integer"),
            (#"{"seed":"12"}"#, "seed is not 32 hexadecimal digits"), (#"{"tables":{}}"#, "tables is no array"),
            (#"{"tables":[1]}"#, "a table is no object"),
            (#"{"tables":[{}]}"#, "a table has no channel, count or records"),
            (#"{"tables":[{"channel":"status"}]}"#, "channel is not one of records"),
            (#"{"plain":[["location",1]]}"#, "an element of plain is not channel, seq and payload"),
            (#"{"tables":[{"channel":"location","count":0,"records":{}}]}"#, "count is not from 1 to 100"),
            (#"{"tables":[{"channel":"location","count":101,"records":{}}]}"#, "count is not from 1 to 100"),
            (#"{"tables":[{"records":{"a":[]}}]}"#, "a column is empty"),
            (#"{"tables":[{"records":{"a":["v"]}}]}"#, "a column is empty"),
            (#"{"tables":[{"records":{"a":["x",1]}}]}"#, "a column has an unknown tag"),
            (#"{"tables":[{"records":{"a":[16,1]}}]}"#, "a column has a count of decimals outside 0 to 15"),
            (#"{"tables":[{"records":{"a":[0,"1"]}}]}"#, "a column has a difference that is no number"),
            (#"{"tables":[{"records":{"a":[0,1.0]}}]}"#, "a column has a difference that is no integer"),
            (#"{"tables":[{"records":{"a":[0,4503599627370496,1]}}]}"#, "a sum of differences exceeds 2^52"),
            (#"{"tables":[{"records":{"a":1,"a":1}}]}"#, "a record has a key twice"),
            (
                #"{"device_id":"v","epoch":1,"tables":[{\#(table){"a":{"seq":1}}}]}"#,
                "uuid and seed are both missing"
            ),
            (
                #"{"device_id":"v","epoch":1,"tables":[{\#(table){"a":{"seq":1,"epoch":1}}}]}"#,
                "a template contains device_id or epoch"
            ),
            (
                #"{"device_id":"v","epoch":1,"tables":[{\#(table){"a":{}}}]}"#,
                "seq is not a column of the table's length"
            ),
            (
                #"{"device_id":"v","epoch":1,"tables":[{\#(table){"a":{"seq":"x","uuid":"u"}}}]}"#,
                "a seq is no integer"
            ),
            (
                #"{"device_id":"v","epoch":1,"tables":[{\#(table){"a":{"seq":1,"uuid":["v",1,2]}}}]}"#,
                "a column has 2 values, and the table has 1 records"
            ),
            (
                #"{"device_id":"v","epoch":1,"tables":[{\#(table){"a":1}}]}"#,
                "a template is not an object with one object"
            ),
            (#"{"device_id":"v","epoch":1} 1"#, "a second value follows the document"),
        ])
    func wrong(document: String, reason: String) {
        let error = #expect(throws: BatchError.self) { try BatchDecoder.records(ofDocument: Array(document.utf8)) }
        #expect(error?.description == reason)
    }

    @Test("Each hostile message is refused")
    func hostile() throws {
        let messages = try HostileBatch.all()
        #expect(messages.count { $0.kind == "size" } >= 15 && messages.count { $0.kind == "form" } >= 60)
        for message in messages {
            let payload = try message.payload()
            // The recorder checks the numbers of a record when it reads the record.
            #expect(throws: (any Error).self, "\(message.name)") {
                for record in try BatchDecoder.records(of: payload) { try MessageForm.free.check(record.payload) }
            }
        }
    }

    @Test(
        "A small message does not expand to more than the bounds of a batch",
        arguments: [
            (count: 100, text: 500, problem: nil), (count: 100, text: 700, problem: "more than 65536 bytes of records"),
            (count: 1, text: 250_000, problem: nil),
            (count: 2, text: 40_000, problem: "more than 65536 bytes of records"),
            (count: 1, text: 270_000, problem: "more than 262144 bytes of a record"),
            (count: 100, text: 600_000, problem: "not a zlib stream, or longer than 589824 bytes when expanded"),
        ] as [(count: Int, text: Int, problem: String?)])
    func expansion(count: Int, text: Int, problem: String?) throws {
        let text = String(repeating: "x", count: text)
        let document =
            #"{"device_id":"v","epoch":1,"tables":[{"channel":"location","count":\#(count),"records":{"a":{"seq":[0"#
            + String(repeating: ",1", count: count) + #"],"uuid":"\#(text)"}}}]}"#
        let message = try #require(DeflateFormat.zlib.compressed(Array(document.utf8)))
        #expect(message.count < 2000)
        do throws(BatchError) {
            #expect(try BatchDecoder.records(of: message).count == count && problem == nil)
        } catch {
            #expect(error.description == problem)
        }
    }

    @Test(
        "Lists and columns are not longer than a batch",
        arguments: [
            (#"{"tables":[\#(Array(repeating: "{" + table + "{}}", count: 101).joined(separator: ","))]}"#, "tables"),
            (#"{"plain":[\#(Array(repeating: #"["location",1,"{}"]"#, count: 101).joined(separator: ","))]}"#, "plain"),
            (#"{"tables":[{"records":{"a":[0\#(String(repeating: ",1", count: 101))]}}]}"#, "a column"),
            (#"{"tables":[{"records":{"a":["v"\#(String(repeating: ",1", count: 101))]}}]}"#, "a column"),
            (#"{"tables":[{"records":{"a":["t"\#(String(repeating: ",1", count: 101))]}}]}"#, "a column"),
        ])
    func lists(document: String, what: String) {
        let error = #expect(throws: BatchError.self) { try BatchDecoder.records(ofDocument: Array(document.utf8)) }
        #expect(error?.description.hasPrefix("\(what) has more than 100") == true, "\(error as Any)")
    }

    @Test("Bytes that are damaged anywhere are an error or other records", arguments: 0..<8)
    func damage(seed: Int) throws {
        var generator = RandomRecords(seed: UInt64(seed))
        let document = try #require(encoder().document(of: generator.records(10)))
        for _ in 0..<300 {
            var bytes = document
            let index = Int.random(in: 0..<bytes.count, using: &generator.random)
            bytes[index] = UInt8.random(in: 0...255, using: &generator.random)
            if Bool.random(using: &generator.random) { bytes.removeSubrange(index..<min(index + 5, bytes.count)) }
            _ = try? BatchDecoder.records(ofDocument: bytes)
        }
        #expect(throws: BatchError.self) { try BatchDecoder.records(of: document) }
    }
}
