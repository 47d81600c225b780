import OdographLink
import Testing

@testable import Odograph

@Suite("A move to other brokers")
struct BrokerMoveTests {
    private let old: [BrokerURL]
    private let new: [BrokerURL]
    private let other: [BrokerURL]

    init() throws {
        old = [try BrokerURL("mqtts://old.example")]
        new = [try BrokerURL("mqtts://new.example"), try BrokerURL("mqtts://new.example:9883")]
        other = [try BrokerURL("mqtts://other.example")]
    }

    @Test("Proved brokers come into force, and a connection to one of them ends the move")
    func moves() {
        var move = BrokerMove(inForce: old)
        let actions1 = move.want(new)
        #expect(actions1 == [.prove(new)])
        let actions2 = move.want(new)
        #expect(actions2 == [])
        #expect(move.inForce == old)
        let actions3 = move.handleProof(of: new, failure: nil, atUptimeMilliseconds: 10)
        #expect(actions3 == [.connect])
        #expect(move.inForce == new)
        // A connection to the old broker that is reported late.
        let actions4 = move.handleConnected(to: "mqtts://old.example:8883")
        #expect(actions4 == [])
        #expect(move.dueUptimeMilliseconds == 300_010)
        let actions5 = move.handleConnected(to: "mqtts://new.example:9883")
        #expect(actions5 == [])
        #expect(move.dueUptimeMilliseconds == nil)
        #expect(move.failure == nil)
    }

    @Test("Brokers that are not proved stay out of force, and are tried again after 10 minutes")
    func refused() {
        var move = BrokerMove(inForce: old)
        _ = move.want(new)
        let actions6 = move.handleProof(of: new, failure: "no answer", atUptimeMilliseconds: 0)
        #expect(actions6 == [])
        #expect(move.failure == "no answer")
        #expect(move.inForce == old)
        let actions7 = move.tick(atUptimeMilliseconds: 599_999)
        #expect(actions7 == [])
        let actions8 = move.tick(atUptimeMilliseconds: 600_000)
        #expect(actions8 == [.prove(new)])
        // The reason stays until the second proof has ended.
        #expect(move.failure == "no answer")
        let actions9 = move.handleProof(of: new, failure: nil, atUptimeMilliseconds: 700_000)
        #expect(actions9 == [.connect])
        #expect(move.failure == nil)
    }

    @Test("Without a connection in 5 minutes the agent goes back to the brokers before")
    func goesBack() {
        var move = BrokerMove(inForce: old)
        _ = move.want(new)
        _ = move.handleProof(of: new, failure: nil, atUptimeMilliseconds: 0)
        let actions10 = move.tick(atUptimeMilliseconds: 300_000)
        #expect(actions10 == [.connect])
        #expect(move.inForce == old)
        #expect(move.failure?.contains("300 s") == true)
        let actions11 = move.tick(atUptimeMilliseconds: 900_000)
        #expect(actions11 == [.prove(new)])
    }

    @Test("The end of a proof of brokers that are no longer wanted changes nothing")
    func withdrawn() {
        var move = BrokerMove(inForce: old)
        _ = move.want(new)
        let actions12 = move.want(other)
        #expect(actions12 == [.prove(other)])
        let actions13 = move.handleProof(of: new, failure: nil, atUptimeMilliseconds: 0)
        #expect(actions13 == [])
        let actions14 = move.want(old)
        #expect(actions14 == [.endProof])
        let actions15 = move.handleProof(of: other, failure: nil, atUptimeMilliseconds: 0)
        #expect(actions15 == [])
        #expect(move.inForce == old)
        #expect(move.dueUptimeMilliseconds == nil)
    }

    @Test("Brokers that change during a move are proved after the arrival, or after the return")
    func changesMeanwhile() {
        var move = BrokerMove(inForce: old)
        _ = move.want(new)
        _ = move.handleProof(of: new, failure: nil, atUptimeMilliseconds: 0)
        var returning = move
        let actions16 = move.want(other)
        #expect(actions16 == [])
        let actions17 = move.handleConnected(to: "mqtts://new.example:8883")
        #expect(actions17 == [.prove(other)])
        _ = returning.want(other)
        let actions18 = returning.tick(atUptimeMilliseconds: 300_000)
        #expect(actions18 == [.connect, .prove(other)])
        #expect(returning.inForce == old)
    }

    @Test("A restart connects to the proved brokers, unless the local file has changed")
    func saved() throws {
        let saved = SavedBrokers(file: old, inForce: new)
        #expect(SavedBrokers.brokers(saved, file: old) == new)
        #expect(SavedBrokers.brokers(saved, file: other) == other)
        #expect(SavedBrokers.brokers(nil, file: old) == old)
        var unreadable = saved
        unreadable.inForce = ["mqtts://new.example", "?"]
        #expect(SavedBrokers.brokers(unreadable, file: old) == old)
    }
}
