import OdographHarness
import Testing
import OdographThreads

@testable import OdographLink

@Suite("Backoff")
struct BackoffTests {
    @Test("After the end of a server, the first delays are spread over two fifths of the maximum")
    func spreadAfterServer() {
        var generator = SplitMix64(seed: 1)
        var backoff = Backoff(minimumSeconds: 1, maximumSeconds: 100, resetSeconds: 60)
        for _ in 0..<9 { _ = backoff.nextDelaySeconds(connectedSeconds: nil, using: &generator) }
        let delays = (0..<1000).map { _ in backoff.spreadDelaySeconds(using: &generator) }
        #expect(delays.allSatisfy { (0...40).contains($0) })
        // A thousand clients: at most 50 in each second.
        #expect(Dictionary(grouping: delays) { Int($0) }.values.allSatisfy { $0.count <= 50 })
        #expect(backoff.ceilingSeconds == 1)
    }

    @Test("The ceiling doubles from 1 s to 256 s, and a delay is anywhere below the ceiling")
    func doubles() {
        var backoff = Backoff(minimumSeconds: 1, maximumSeconds: 256, resetSeconds: 60)
        var generator = SplitMix64(seed: 1)
        var ceilings: [Double] = []
        for _ in 0..<11 {
            let ceiling = backoff.ceilingSeconds
            ceilings.append(ceiling)
            let delay = backoff.nextDelaySeconds(connectedSeconds: nil, using: &generator)
            #expect((0...ceiling).contains(delay))
        }
        #expect(ceilings == [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256])
    }

    @Test("Only a connection that lasted resets the backoff")
    func resets() {
        var backoff = Backoff(minimumSeconds: 1, maximumSeconds: 256, resetSeconds: 60)
        var generator = SplitMix64(seed: 2)
        for _ in 0..<4 { _ = backoff.nextDelaySeconds(connectedSeconds: nil, using: &generator) }
        _ = backoff.nextDelaySeconds(connectedSeconds: 59.9, using: &generator)
        #expect(backoff.ceilingSeconds == 32)
        _ = backoff.nextDelaySeconds(connectedSeconds: 60, using: &generator)
        #expect(backoff.ceilingSeconds == 2)
    }

    @Test("The delays of a fleet are spread over the whole interval")
    func spread() {
        var generator = SplitMix64(seed: 3)
        var tenths = Set<Int>()
        for _ in 0..<500 {
            var backoff = Backoff(minimumSeconds: 10, maximumSeconds: 256, resetSeconds: 60)
            tenths.insert(Int(backoff.nextDelaySeconds(connectedSeconds: nil, using: &generator)))
        }
        #expect(tenths == Set(0..<10))
    }
}

@Suite("The negotiation of the MQTT version")
struct ProtocolNegotiationTests {
    @Test(
        "A configured version is kept after any answer of the broker",
        arguments: [ProtocolPreference.v5, .v311])
    func kept(preference: ProtocolPreference) {
        var negotiation = VersionNegotiation(preference: preference, hasSpokenVersion5: false)
        let version = negotiation.version
        #expect(version.rawValue == (preference == .v5 ? "5" : "3.1.1"))
        for outcome in [VersionNegotiation.Outcome.versionRefused, .noAnswer, .unrelated, .accepted] {
            let isImmediate = negotiation.recordOutcome(outcome)
            #expect(!isImmediate)
            #expect(negotiation.version == version)
        }
    }

    /// Draws attempts: the version of each, and after it how it ended: `+` accepted, `v` version refused, `-` no
    /// answer, `/` otherwise; then `!` if the next one needs no delay.
    private func drawing(_ outcomes: String, hasSpokenVersion5: Bool = false) -> String {
        var negotiation = VersionNegotiation(preference: .automatic, hasSpokenVersion5: hasSpokenVersion5)
        return outcomes.map { letter in
            let version = negotiation.version == .v5 ? "5" : "3"
            let outcomes: [Character: VersionNegotiation.Outcome] = [
                "+": .accepted, "v": .versionRefused, "-": .noAnswer, "/": .unrelated,
            ]
            let isImmediate = outcomes[letter].map { negotiation.recordOutcome($0) } ?? false
            return "\(version)\(letter)\(isImmediate ? "!" : "")"
        }.joined(separator: " ")
    }

    @Test("A broker that refuses MQTT 5 gets 3.1.1 at once, and keeps it")
    func refused() {
        #expect(drawing("v+/-v+") == "5v! 3+ 3/ 3-! 5v 3+")
        #expect(drawing("v/+//", hasSpokenVersion5: true) == "5v! 3/ 3+ 3/ 3/")
    }

    @Test("Without an answer, 3.1.1 is used for one attempt and its connection")
    func unanswered() {
        // A broker that only closes connections of MQTT 5.
        #expect(drawing("-+/-+/-+") == "5-! 3+ 3/ 5-! 3+ 3/ 5-! 3+")
        // A broker that is full, or away, and comes back.
        #expect(drawing("--/-+") == "5-! 3- 5/ 5- 3+")
        #expect(drawing("-/+/-") == "5-! 3/ 5+ 5/ 5-")
    }

    @Test("MQTT 5 that has worked is doubted after three attempts without an answer, also in an earlier run")
    func settled() {
        #expect(drawing("+/---") == "5+ 5/ 5- 5- 5-!")
        #expect(drawing("---+/-", hasSpokenVersion5: true) == "5- 5- 5-! 3+ 3/ 5-")
        #expect(drawing("--+--", hasSpokenVersion5: true) == "5- 5- 5+ 5- 5-")
    }
}

@Suite("Messages in flight")
struct OutstandingTests {
    @Test("Every identifier is reused and returns with its token", arguments: [1, 2, 3, 20, 1000])
    func wraps(maximumInFlight: Int) {
        var outstanding = InFlightMessages(maximum: maximumInFlight)
        var identifier: UInt16 = 1
        var waiting: [(UInt16, UInt64)] = []
        for token in UInt64(0)..<140_000 {
            if !outstanding.hasRoom {
                let (oldest, expected) = waiting.removeFirst()
                guard outstanding.acknowledge(oldest, nowMilliseconds: 0)?.token == expected else {
                    Issue.record("identifier \(oldest)")
                    return
                }
            }
            guard outstanding.hasRoom, outstanding.nextIdentifier == identifier else {
                Issue.record("at token \(token)")
                return
            }
            outstanding.insert(identifier, token: token, nowMilliseconds: Int64(token))
            waiting.append((identifier, token))
            identifier = identifier == 65_535 ? 1 : identifier + 1
        }
        #expect(outstanding.count == maximumInFlight)
        let left = outstanding.removeAll().map(\.token)
        #expect(left == waiting.map(\.1))
        #expect(outstanding.count == 0)
        #expect(outstanding.oldestSentAtMilliseconds == nil)
    }

    @Test("The messages agree with a dictionary for any order of acknowledgements", arguments: UInt64(1)...10)
    func agreesWithModel(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var outstanding = InFlightMessages(maximum: Int.random(in: 1...40, using: &generator))
        var model: [UInt16: (token: UInt64, sent: Int64)] = [:]
        for step in 0..<10_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: outstanding.skipIdentifier(outstanding.nextIdentifier)
            case 1...5 where outstanding.hasRoom:
                let identifier = outstanding.nextIdentifier
                #expect(model[identifier] == nil)
                model[identifier] = (UInt64(step), Int64(step))
                outstanding.insert(identifier, token: UInt64(step), nowMilliseconds: Int64(step))
            default:
                guard let identifier = model.keys.sorted().randomElement(using: &generator) else { continue }
                let (found, again) = (
                    outstanding.acknowledge(identifier, nowMilliseconds: Int64(step)),
                    outstanding.acknowledge(identifier, nowMilliseconds: Int64(step))
                )
                #expect(found?.token == model[identifier]?.token)
                model[identifier] = nil
                #expect(again == nil)
            }
            guard outstanding.count == model.count,
                outstanding.oldestSentAtMilliseconds == model.values.map(\.sent).min()
            else {
                Issue.record("step \(step)")
                return
            }
        }
    }

    @Test("A message without an acknowledgement blocks the others before its identifier is reused")
    func straggler() {
        var outstanding = InFlightMessages(maximum: 4)
        outstanding.insert(1, token: 0, nowMilliseconds: 0)
        var identifier: UInt16 = 2
        while outstanding.hasRoom {
            outstanding.insert(identifier, token: UInt64(identifier), nowMilliseconds: 1)
            _ = outstanding.acknowledge(identifier, nowMilliseconds: 1)
            identifier += 1
        }
        #expect(identifier == 9)
        #expect(outstanding.missingAcknowledgement.map(\.token) == [0])
        let straggler = outstanding.acknowledge(1, nowMilliseconds: 2)
        #expect(straggler?.token == 0)
        #expect(outstanding.hasRoom)
    }
}

@Suite("The deadline of an acknowledgement")
struct AcknowledgementDeadlineTests {
    @Test("The deadline starts when a message becomes the next one, and later acknowledgements do not move it")
    func withheld() {
        var outstanding = InFlightMessages(maximum: 10)
        for identifier in UInt16(1)...4 {
            outstanding.insert(identifier, token: UInt64(identifier), nowMilliseconds: 100)
        }
        #expect(outstanding.awaitedSinceMilliseconds == 100)
        // The previous message is acknowledged: the network is slow, and no acknowledgement is missing.
        _ = outstanding.acknowledge(1, nowMilliseconds: 5000)
        #expect(outstanding.awaitedSinceMilliseconds == 5000)
        #expect(outstanding.missingAcknowledgement.isEmpty)
        // The acknowledgement of the second message is missing.
        _ = outstanding.acknowledge(3, nowMilliseconds: 6000)
        outstanding.insert(5, token: 5, nowMilliseconds: 6500)
        _ = outstanding.acknowledge(4, nowMilliseconds: 7000)
        #expect(outstanding.awaitedSinceMilliseconds == 5000)
        #expect(outstanding.missingAcknowledgement.map(\.token) == [2])
        _ = outstanding.acknowledge(5, nowMilliseconds: 9000)
        #expect(outstanding.awaitedSinceMilliseconds == 5000)
        outstanding.drop(outstanding.missingAcknowledgement[0], nowMilliseconds: 9500)
        #expect(outstanding.awaitedSinceMilliseconds == nil)
        outstanding.insert(6, token: 6, nowMilliseconds: 20_000)
        #expect(outstanding.awaitedSinceMilliseconds == 20_000)
        #expect(outstanding.missingAcknowledgement.isEmpty)
    }
}

@Suite("Secrets")
struct SecretTests {
    @Test("A secret is never printed")
    func hidden() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        var configuration = LinkConfiguration.test(port: 1)
        configuration.password = secret
        for text in [
            "\(secret)", String(reflecting: secret), dumped, "\(configuration)", String(reflecting: configuration),
        ] {
            #expect(!text.contains("hunter2"))
        }
        #expect(secret.revealed == "hunter2")
    }
}

@Suite("The address of a broker")
struct BrokerURLTests {
    static let good: [(String, String, UInt16, Bool, Bool)] = [
        ("mqtt://localhost", "localhost", 1883, false, true),
        ("mqtts://broker.example", "broker.example", 8883, true, false),
        ("mqtt://127.0.0.1:1884", "127.0.0.1", 1884, false, true), ("MQTTS://b:1/", "b", 1, true, false),
        ("mqtt://[::1]", "::1", 1883, false, true), ("mqtts://[2001:db8::1]:99", "2001:db8::1", 99, true, false),
        ("mqtt://127.example", "127.example", 1883, false, false), ("mqtt://10.1.2.3", "10.1.2.3", 1883, false, false),
        ("mqtt://127.0.0.256", "127.0.0.256", 1883, false, false), ("mqtt://127.0.1", "127.0.1", 1883, false, false),
    ]

    @Test("A valid address is read", arguments: good)
    func reads(text: String, host: String, port: UInt16, isSecure: Bool, isLoopback: Bool) throws {
        let url = try BrokerURL(text)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.isSecure == isSecure)
        #expect(url.isLoopback == isLoopback)
        #expect(try BrokerURL(url.description) == url)
    }

    static let bad: [(String, String)] = [
        ("", "mqtt://"), ("broker.example", "mqtt://"), ("broker.example:1883", "mqtt://"), ("http://a", "http"),
        ("mqtt://", "host is missing"), ("mqtt://:1883", "host is missing"), ("mqtt://a:0", "1 to 65535"),
        ("mqtt://a:65536", "1 to 65535"), ("mqtt://a:+1", "1 to 65535"), ("mqtt://a:", "1 to 65535"),
        ("mqtt://::1", "brackets"), ("mqtt://[::1", "not closed"), ("mqtt://[a]", "IPv6"),
        ("mqtt://[::1]x", "brackets"),
        ("mqtt://a/topic", "ends after the port"), ("mqtt://a b", "character"),
        ("mqtt://u:hunter2@a", "no user or password"),
        ("mqtt://a\0b", "character"),
    ]

    @Test("An invalid address is refused with a remedy and without the password", arguments: bad)
    func refuses(text: String, hint: String) {
        let error = #expect(throws: BrokerURL.Malformed.self) { try BrokerURL(text) }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("hunter2") != true)
    }
}
