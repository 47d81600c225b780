import OdographCivilTime
import OdographJSON
import Testing
import OdographThreads
import OdographWire

@testable import Odograph

@Suite("Remote commands")
struct RemoteCommandTests {
    private let here = AnsweredCommands.Reply(topic: "fleet/acme/van-7/response")
    private let there = AnsweredCommands.Reply(topic: "desk/1", correlation: [1, 2])

    /// Registers a command that is not a query, at uptime 0.
    private func come(_ id: String, _ reply: AnsweredCommands.Reply, to memory: inout AnsweredCommands)
        -> AnsweredCommands.Verdict
    {
        memory.register(id, reply: reply, isQuery: false, atUptimeMilliseconds: 0)
    }

    @Test("A command is executed once, and its answer is sent once to each sender")
    func once() {
        var memory = AnsweredCommands()
        #expect(come("a", here, to: &memory) == .execute)
        #expect(come("a", here, to: &memory) == .ignore)
        #expect(come("a", there, to: &memory) == .ignore)
        #expect(memory.recordAnswer("a", [7]) == [here, there])
        #expect(memory.undelivered.map(\.id) == ["a"])
        memory.markDelivered("a")
        #expect(memory.undelivered == [])
        #expect(come("a", here, to: &memory) == .ignore)
        let elsewhere = AnsweredCommands.Reply(topic: "desk/2")
        #expect(come("a", elsewhere, to: &memory) == .resendAnswer([7]))
        #expect(come("a", elsewhere, to: &memory) == .ignore)
    }

    @Test(
        "An answer goes to the requested topic, except to another channel of the vehicle or a broker topic",
        arguments: [
            ("desk/1", true), ("fleet/acme/van-7/response", true), ("fleet/acme/van-7/response/desk-1", true),
            ("fleet/acme/van-70/response", true), ("fleet/acme/van-7/location", false),
            ("fleet/acme/van-7/timeline/backlog", false), ("fleet/acme/van-7/config", false), ("$SYS/broker", false),
            ("desk/+", false), ("desk/#", false), ("", false),
        ])
    func replyTopic(wish: String, isTaken: Bool) throws {
        let address = try DeviceAddress(fleet: "acme", device: "van-7")
        #expect(address.replyTopic(wish) == (isTaken ? wish : here.topic))
        #expect(address.replyTopic(nil) == here.topic)
    }

    @Test("Answered commands are known after a restart, and unfinished ones are not")
    func restart() throws {
        var memory = AnsweredCommands()
        _ = come("done", here, to: &memory)
        _ = memory.recordAnswer("done", [1])
        memory.markDelivered("done")
        _ = come("answered", here, to: &memory)
        _ = memory.recordAnswer("answered", [2])
        _ = come("begun", here, to: &memory)
        var later = try JSONCoder.decode(AnsweredCommands.self, from: JSONCoder.bytes(of: memory.persistentCopy))
        #expect(later.undelivered.map(\.id) == ["answered"])
        #expect(come("done", here, to: &later) == .ignore)
        #expect(come("begun", here, to: &later) == .execute)
    }

    @Test("A long answer is not kept, and only a query is executed again")
    func longAnswers() {
        var memory = AnsweredCommands()
        for id in ["question", "order"] {
            _ = come(id, here, to: &memory)
            _ = memory.recordAnswer(id, [UInt8](repeating: 0, count: 100_000))
            memory.markDelivered(id)
        }
        #expect(memory.entries.allSatisfy { $0.answer == nil })
        #expect(memory.register("question", reply: there, isQuery: true, atUptimeMilliseconds: 1) == .execute)
        #expect(memory.register("order", reply: there, isQuery: false, atUptimeMilliseconds: 1) == .ignore)
    }

    @Test(
        "An invalid command is answered with a remedy",
        arguments: [
            ("", "", "the document is empty"), ("[]", "", "an object"), ("{ action: 'flush' }", "", "\"id\""),
            ("{ id: 7, action: 'flush' }", "", "\"id\""),
            ("{ id: '\(String(repeating: "ä", count: 65))', action: 'flush' }", "", "1 to 128 bytes"),
            ("{ id: 'a' }", "a", "get_status"),
            ("{ id: 'a', action: 'flush', expires_at: 'soon' }", "a", "2026-11-21T09:15:02Z"),
            ("{ id: 'a', id: 'b', action: 'flush' }", "", "duplicate key"),
        ])
    func wrong(text: String, id: String, words: String) {
        do throws(CommandRequestParser.Refusal) {
            let request = try CommandRequestParser.parse(Array(text.utf8))
            Issue.record("\(request)")
        } catch {
            #expect(error.id == id)
            #expect(error.problem.contains(words), "\(error.problem)")
        }
    }

    @Test("A command's own keys are kept")
    func parameters() throws {
        let request = try CommandRequestParser.parse(
            Array("{ id: 'a', action: 'set_odometer', value: 5, expires_at: '2026-11-21T09:15:02Z' }".utf8))
        #expect(request.parameters == ["value": .integer(5)])
        #expect(request.expiresAt?.iso8601 == "2026-11-21T09:15:02.000Z")
    }

    @Test("A token bucket admits a burst, then a fixed rate")
    func bucket() {
        var bucket = TokenBucket(capacity: 3, perSecond: 2)
        var taken = 0
        for now in 0..<1000 where bucket.take(atUptimeMilliseconds: Int64(now)) { taken += 1 }
        #expect(taken == 3 + 1)
        let short = bucket.waitMilliseconds(atUptimeMilliseconds: 1000)
        #expect(short <= 1)
        let isTaken = bucket.take(atUptimeMilliseconds: 1001)
        #expect(isTaken)
        let long = bucket.waitMilliseconds(atUptimeMilliseconds: 1001)
        #expect(long > 400)
    }
}
