import OdographCivilTime
import OdographCompression
import OdographHarness
import OdographJSON
import OdographLink
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Requests about the past")
struct HistoryRequestTests {
    private static func refusal(_ text: String) -> HistoryRefusal? {
        do throws(HistoryRefusal) {
            _ = try HistoryRequest(payload: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "The reader accepts exactly what the schema accepts, with each key right, wrong and absent",
        arguments: [
            #"{"kind":"track","device":"van-7","from":"2026-11-21T00:00:00Z","to":"2026-11-22T00:00:00Z""#
                + #","limit":9,"after":"x","recorder":"main","encoding":"deflate"}"#,
            #"{"kind":"timeline","device":"van-7","from":"2026-11-21T00:00:00Z","to":"2026-11-22T00:00:00Z"}"#,
            #"{"kind":"days","device":"van-7","first_day":"2026-11-01","last_day":"2026-11-30"}"#,
            #"{"kind":"latest","limit":1}"#,
            #"{"kind":"alerts","device":"van-7","from":"2026-11-21T00:00:00Z","to":"2026-11-22T00:00:00Z","after":"x"}"#,
            #"{"kind":"acknowledge","alerts":["a1","b"],"recorder":"main"}"#,
        ])
    func agreement(base: String) throws {
        let cases = try ContractValidator.running().cases(schema: "history-request", base: base)
        #expect(cases.count > 50 && cases.contains { $0.errors.isEmpty })
        for example in cases {
            let refusal = Self.refusal(example.payload)
            #expect(
                (refusal == nil) == example.errors.isEmpty, "\(example.payload): \(example.errors) \(refusal as Any)")
        }
    }

    @Test(
        "A refusal names the mistake",
        arguments: [
            ("no JSON", "JSON object"), ("[]", "JSON object"), ("\u{1}", "JSON object"), ("{}", "kind"),
            (#"{"kind":"track","from":"2026-11-21T00:00:00Z","to":"2026-11-22T00:00:00Z"}"#, "device"),
            (#"{"kind":"track","device":"a/b","from":"2026-11-21T00:00:00Z","to":"2026-11-22T00:00:00Z"}"#, "device"),
            (#"{"kind":"track","device":"a","from":"2026-11-22T00:00:00Z","to":"2026-11-22T00:00:00Z"}"#, "from"),
            (#"{"kind":"timeline","device":"a","from":"yesterday","to":"2026-11-22T00:00:00Z"}"#, "from must be"),
            (#"{"kind":"days","device":"a","first_day":"2026-02-30","last_day":"2026-11-30"}"#, "first_day"),
            (#"{"kind":"days","device":"a","first_day":"2026-11-02","last_day":"2026-11-01"}"#, "first_day"),
            (#"{"kind":"latest","device":"a"}"#, "\"device\" is not a key"),
            (#"{"kind":"latest","kind":"latest"}"#, "\"kind\" is there twice"),
            (#"{"kind":"latest","limit":1,"li\u006dit":2}"#, "\"limit\" is there twice"),
            (#"{"kind":"latest","limit":0}"#, "limit"), (#"{"kind":"alerts"}"#, "from must be"),
            (#"{"kind":"acknowledge"}"#, "alerts must be"), (#"{"kind":"acknowledge","alerts":[]}"#, "alerts must be"),
            (#"{"kind":"acknowledge","alerts":["a","a"]}"#, "alerts must be"),
            (#"{"kind":"acknowledge","alerts":["a"],"device":"van-7"}"#, "\"device\" is not a key"),
        ])
    func mistakes(payload: String, word: String) throws {
        let refusal = try #require(Self.refusal(payload))
        #expect(refusal.code == .invalid && refusal.text.contains(word), "\(refusal)")
    }

    @Test("A payload that is too long or not UTF-8 is refused")
    func payloads() {
        let long = #"{"kind":"latest","after":""# + String(repeating: "x", count: 4096) + "\"}"
        #expect(Self.refusal(long)?.code == .invalid)
        #expect(throws: HistoryRefusal.self) { try HistoryRequest(payload: [0x7B, 0xFF, 0x7D]) }
        #expect(throws: HistoryRefusal.self) { try HistoryRequest(payload: [0xFF, 0xFE, 0x7B, 0, 0x7D, 0]) }
    }

    @Test(
        "Only a topic of a request is one",
        arguments: [
            "fleet/history:acme/ann/answer/q", "fleet/history:acme/ann/request", "fleet/history:acme/ann/request/q/x",
            "fleet/acme/ann/request/q", "other/history:acme/ann/request/q", "fleet/history:/ann/request/q",
            "fleet/history:acme/a+b/request/q", "fleet/history:acme//request/q", "fleet/history:acme/ann/request/",
            "fleet/history:a:b/ann/request/q",
        ])
    func topics(topic: String) throws {
        #expect(HistoryRequestTopic(topic, root: "fleet") == nil)
        let right = try #require(HistoryRequestTopic("fleet/history:acme/ann/request/q", root: "fleet"))
        #expect(right.address.answerTopic(right.id) == "fleet/history:acme/ann/answer/q")
    }

    @Test("A response topic is only one below the answers of the person who asks")
    func responseTopics() throws {
        let ann = try HistoryAddress(fleet: "acme", person: "ann")
        #expect(ann.isAnswerTopic("fleet/history:acme/ann/answer/mine"))
        for topic in [
            "fleet/history:acme/bob/answer/mine", "fleet/history:acme/ann/answer/", "fleet/history:acme/ann/answer/a/b",
            "fleet/history:acme/ann/request/q", "fleet/acme/van-7/command", "fleet/history:acme/ann/answer/#",
            "fleet/history:acme/ann/answer/+",
        ] { #expect(!ann.isAnswerTopic(topic), "\(topic)") }
    }
}

@Suite("The limits of requests")
struct RequestGateTests {
    private func person(_ name: String) throws -> HistoryAddress { try HistoryAddress(fleet: "acme", person: name) }

    @Test("A person has a burst and a rate, and another person keeps its own")
    func rate() throws {
        var gate = RequestGate(requestsPerMinute: 6)
        let (ann, bob) = (try person("ann"), try person("bob"))
        for _ in 0..<6 {
            #expect(gate.admit(ann, atUptimeMilliseconds: 0) == .accept)
            gate.finish(ann)
        }
        #expect(gate.admit(ann, atUptimeMilliseconds: 0) == .refuse(isAnswered: true, isLogged: true))
        #expect(gate.admit(ann, atUptimeMilliseconds: 1) == .refuse(isAnswered: true, isLogged: false))
        #expect(gate.admit(bob, atUptimeMilliseconds: 1) == .accept)
        // Ten seconds later one more is allowed.
        #expect(gate.admit(ann, atUptimeMilliseconds: 10_001) == .accept)
        #expect(gate.admit(ann, atUptimeMilliseconds: 10_001) == .refuse(isAnswered: true, isLogged: false))
        #expect(gate.admit(ann, atUptimeMilliseconds: 10_002) == .refuse(isAnswered: true, isLogged: false))
    }

    @Test("Few requests of a person, and of all persons, wait at a time")
    func waiting() throws {
        var gate = RequestGate(requestsPerMinute: 1000)
        for index in 0..<RequestGate.maximumWaiting {
            let person = try person("p\(index / RequestGate.maximumWaitingOfPerson)")
            #expect(gate.admit(person, atUptimeMilliseconds: 0) == .accept)
            let isFull = (index + 1) % RequestGate.maximumWaitingOfPerson == 0
            if isFull { #expect(gate.admit(person, atUptimeMilliseconds: 0) != .accept) }
        }
        let last = try person("last")
        #expect(gate.admit(last, atUptimeMilliseconds: 0) != .accept)
        gate.finish(try person("p0"))
        #expect(gate.admit(last, atUptimeMilliseconds: 0) == .accept)
        // A second end of the same request frees nothing.
        gate.finish(try person("nobody"))
        #expect(gate.admit(try person("other"), atUptimeMilliseconds: 0) != .accept)
    }

    @Test("A part is compressed if the request says so: a browser expands it, and it is much shorter")
    func compression() throws {
        let pending = try #require(
            PendingRequest(topic: "fleet/history:acme/ann/request/q1", root: "fleet", received: .now))
        let rows = (1...400).map { seq in
            Array(#"{"latitude":40.\#(400_000 + seq * 37),"longitude":-3.7,"seq":\#(seq),"speed":12.\#(seq)}"#.utf8)
        }
        let part = HistoryAnswer(id: "q1", recorder: "main", part: 1, .rows(rows, timeZone: nil, ending: nil))
        let (plain, short) = (pending.message(part), pending.message(part, isCompressed: true))
        #expect(plain.payload == part.payload && plain.payload.first == UInt8(ascii: "{"))
        #expect(short.payload.first == 0x78 && short.payload.count * 4 < plain.payload.count)
        let expanded = short.payload.withUnsafeBytes { DeflateFormat.zlib.expanded($0, maximumBytes: 1 << 20) }
        #expect(expanded == part.payload)
    }

    @Test("A flood under invented names is answered and logged at a bounded rate")
    func inventedNames() throws {
        var gate = RequestGate(requestsPerMinute: 60)
        var (accepted, answered, logged) = (0, 0, 0)
        for index in 0..<20_000 {
            let person = try person("p\(index)")
            switch gate.admit(person, atUptimeMilliseconds: Int64(index)) {
            case .accept:
                accepted += 1
                gate.finish(person)
            case .refuse(let isAnswered, let isLogged):
                answered += isAnswered ? 1 : 0
                logged += isLogged ? 1 : 0
            }
        }
        // In 20 s: a burst of ten persons, and ten requests a second; entries of one a second after a burst of 60.
        #expect((790...810).contains(accepted) && (790...810).contains(answered), "\(accepted) \(answered)")
        #expect((75...85).contains(logged), "\(logged)")
    }
}
