import OdographBatches
import OdographJSON
import OdographStore
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The messages of vehicles")
struct MessageReaderTests {
    private let reader = MessageReader(root: "fleet")

    @Test(
        "A topic names a vehicle and a channel",
        arguments: [
            ("fleet/acme/van-7/location", UplinkChannel.location), ("fleet/acme/van-7/location/backlog", .location),
            ("fleet/acme/van-7/geofence/backlog", .geofence), ("fleet/acme/van-7/timeline", .timeline),
            ("fleet/acme/van-7/given_up", .givenUp),
            ("fleet/acme/van-7/status", .status), ("fleet/acme/van-7/reported", .reported),
            ("fleet/acme/van-7/batch", .batch),
        ])
    func topics(topic: String, channel: UplinkChannel) throws {
        let place = try #require(VehicleTopic(topic, root: "fleet"))
        #expect(place.vehicle == (try DeviceAddress(fleet: "acme", device: "van-7")) && place.channel == channel)
        #expect(place.isBacklog == topic.hasSuffix("/backlog"))
    }

    @Test("A topic of a receipt is one of the own store only")
    func receiptTopics() throws {
        let van = try DeviceAddress(fleet: "acme", device: "van-7")
        #expect(ReceiptTopic("fleet/acme/van-7/receipt/main", root: "fleet", recorder: "main")?.vehicle == van)
        for topic in [
            "fleet/acme/van-7/receipt/other", "fleet/acme/van-7/receipt", "fleet/acme/all/receipt/main",
            "other/acme/van-7/receipt/main", "fleet/acme/van-7/receipt/main/x", "fleet/acme/van-7/location/main", "",
        ] {
            #expect(ReceiptTopic(topic, root: "fleet", recorder: "main") == nil, "\(topic)")
        }
    }

    @Test(
        "The ranges of a given-up record are ascending and separate",
        arguments: [
            ([], false), ([(1, 2, 2)], true), ([(1, 2, 3), (1, 4, 4), (2, 1, 1)], true), ([(1, 3, 2)], false),
            ([(1, 0, 2)], false), ([(0, 1, 2)], false), ([(1, 2, 3), (1, 3, 4)], false),
            ([(2, 1, 1), (1, 1, 1)], false),
        ] as [([(Int64, Int64, Int64)], Bool)])
    func givenUpRanges(ranges: [(Int64, Int64, Int64)], isRight: Bool) throws {
        let payload = try Payloads.givenUp(
            9, ranges.map { GivenUpRange(epoch: $0.0, from: $0.1, to: $0.2, reason: .quota) })
        let message = try? reader.read(topic: van + "given_up", payload: payload)
        #expect((message?.number == RecordKey(epoch: 7, seq: 9)) == isRight)
        #expect((message != nil) == isRight)
    }

    @Test(
        "Other topics are not of a vehicle",
        arguments: [
            "", "fleet/acme/van-7", "other/acme/van-7/location", "fleet/acme/all/location", "fleet/acme//location",
            "fleet/acme/van-7/location/other", "fleet/acme/van-7/location/backlog/x", "fleet/acme/van-7/status/backlog",
            "fleet/acme/van-7/batch/backlog", "fleet/acme/van-7/response", "fleet/acme/van-7/config",
            "/fleet/acme/van-7/location",
            "fleet/a+b/van-7/status",
        ])
    func otherTopics(topic: String) { #expect(VehicleTopic(topic, root: "fleet") == nil) }

    @Test("Each kind of message is read with its number")
    func kinds() throws {
        let messages: [(String, [UInt8], RecordKey?)] = [
            ("location", try Payloads.location(3), RecordKey(epoch: 7, seq: 3)),
            ("geofence/backlog", try Payloads.location(4, isGeofence: true), RecordKey(epoch: 7, seq: 4)),
            ("timeline", try Payloads.timeline(5, event: "a", revision: 1), RecordKey(epoch: 7, seq: 5)),
            ("given_up", try Payloads.givenUp(6, [Payloads.named(1...2)]), RecordKey(epoch: 7, seq: 6)),
            ("status", try Payloads.status(.online, connection: 2), nil),
            ("reported", try Payloads.reported([]), nil),
        ]
        for (channel, payload, number) in messages {
            let message = try reader.read(topic: van + channel, payload: payload)
            #expect(message.number == number)
            #expect(message.payload == String(decoding: payload, as: UTF8.self))
        }
    }

    @Test("A batch is read as the messages of its records, and a record that violates the contract is rejected alone")
    func batch() throws {
        let wrong = Array("{\"device_id\":\"van-7\"}".utf8)
        let records: [(channel: UplinkChannel, payload: [UInt8])] = [
            (.location, try Payloads.location(3)), (.geofence, try Payloads.location(4, isGeofence: true)),
            (.timeline, try Payloads.timeline(5, event: "a", revision: 1)), (.location, wrong),
            (.givenUp, try Payloads.givenUp(7, [Payloads.named(1...2)])),
        ]
        let payload = try #require(
            BatchEncoder(deviceID: "van-7", epoch: 7, seed: nil).message(
                of: records.enumerated().map {
                    BatchRecord(channel: $1.channel, seq: Int64($0 + 3), payload: $1.payload)
                }))
        let contents = reader.contents(topic: van + "batch", payload: payload)
        let vehicle = try DeviceAddress(fleet: "acme", device: "van-7")
        let alone = records.flatMap {
            reader.contents(topic: vehicle.backlogTopic($0.channel), payload: $0.payload)
        }
        #expect(contents == alone)
        #expect(contents.count == 5)
        guard case .rejected(van + "location/backlog", wrong, wrong.count, _) = contents[3] else {
            Issue.record("\(contents[3])")
            return
        }
    }

    @Test("A batch that cannot be decoded is rejected as a whole with a reason")
    func wrongBatch() {
        let contents = reader.contents(topic: van + "batch", payload: [0x78, 0x9C, 0x00])
        let reason = RejectionReason("not a batch: not a zlib stream, or longer than 589824 bytes when expanded")
        #expect(contents == [.rejected(topic: van + "batch", payload: [0x78, 0x9C, 0x00], bytes: 3, reason: reason)])
        for topic in [van + "batch/backlog", van + "given_up/backlog", van + "batch"] {
            guard case .rejected(topic, [], 0, _) = reader.contents(topic: topic, payload: []).first else {
                Issue.record("\(topic)")
                return
            }
        }
    }

    /// Each change of a right message, and a word of the reason.
    @Test(
        "A message that violates the contract is rejected with a reason",
        arguments: [
            (#""seq":1"#, #""seq":0"#, "location.seq is not from 1"), (#""seq":1,"#, "", "epoch or seq"),
            (#""epoch":7"#, #""epoch":-7"#, "location.epoch is not from 1"),
            (#""epoch":7"#, #""epoch":{}"#, "location.epoch"),
            (#""epoch":7"#, #""epoch":1e999"#, "location.epoch"),
            (#""seq":1"#, #""seq":99999999999999999999"#, "location.seq"),
            (#""is_moving":true,"#, "", "location.is_moving is missing"),
            (#""latitude":40"#, #""latitude":90.5"#, "latitude is not from -90 to 90"),
            (#""latitude":40"#, #""latitude":"x""#, "latitude"),
            (#""longitude":-3"#, #""longitude":181"#, "longitude"),
            (#""timestamp":""#, #""timestamp":"x"#, "timestamp"),
            (#"{"device_id""#, #"["device_id""#, ""), (#""age":5"#, #""age":5,"geofence":7"#, "geofence"),
        ])
    func wrong(old: String, new: String, word: String) throws {
        let right = String(decoding: try Payloads.location(1), as: UTF8.self)
        try #require(right.contains(old), "\(right)")
        #expect {
            try reader.read(topic: van + "location", payload: Array(right.replacing(old, with: new).utf8))
        } throws: { error in
            (error as? RejectionReason)?.description.contains(word) == true
        }
    }

    @Test(
        "What is no message at all is rejected",
        arguments: [
            [], Array("no JSON".utf8), Array("[]".utf8), Array("null".utf8), Array(#"{"location":null}"#.utf8),
            [0xFF, 0xFE], Array("{}".utf16).flatMap { [UInt8(truncatingIfNeeded: $0), 0] },
        ] as [[UInt8]])
    func nothing(payload: [UInt8]) {
        for channel in ["location", "geofence", "timeline", "given_up", "status", "reported"] {
            #expect(throws: RejectionReason.self) { try reader.read(topic: van + channel, payload: payload) }
        }
    }

    /// Not an argument of the test before, because the arguments are printed.
    @Test("Arrays without end are rejected")
    func deep() { nothing(payload: [UInt8](repeating: UInt8(ascii: "["), count: 100_000)) }

    @Test("A geofence event is only on its channel, and a location is not there")
    func channels() throws {
        #expect(throws: RejectionReason.self) {
            try reader.read(topic: van + "location", payload: Payloads.location(1, isGeofence: true))
        }
        #expect(throws: RejectionReason.self) {
            try reader.read(topic: van + "geofence", payload: Payloads.location(1))
        }
    }

    @Test("Keys and values of a newer agent are accepted")
    func newer() throws {
        let text = String(decoding: try Payloads.location(1), as: UTF8.self)
            .replacing(#""age":5"#, with: #""age":5,"future":[1],"event":"teleport""#)
        let message = try reader.read(topic: van + "location", payload: Array(text.utf8))
        #expect(message.payload == text)
    }
}
