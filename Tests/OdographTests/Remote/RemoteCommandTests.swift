import CivilTime
import Testing
import Wire

@testable import Odograph

@Suite("Commands from afar")
struct RemoteCommandTests {
    private let here = AnsweredCommands.Reply(topic: "fleet/acme/van-7/response")
    private let there = AnsweredCommands.Reply(topic: "desk/1", correlation: [1, 2])

    @Test("A command is begun once, and its answer goes once to each who asked")
    func once() {
        var memory = AnsweredCommands()
        #expect(memory.come("a", reply: here) == .begin)
        #expect(memory.come("a", reply: here) == .ignore)
        #expect(memory.come("a", reply: there) == .ignore)
        #expect(memory.answered("a", [7]) == [here, there])
        #expect(memory.undelivered.map(\.id) == ["a"])
        memory.delivered("a")
        #expect(memory.undelivered == [])
        #expect(memory.come("a", reply: here) == .ignore)
        let elsewhere = AnsweredCommands.Reply(topic: "desk/2")
        #expect(memory.come("a", reply: elsewhere) == .repeatAnswer([7]))
        #expect(memory.come("a", reply: elsewhere) == .ignore)
    }

    @Test(
        "An answer goes where its request wishes, but to no other channel of the vehicle's, and to nothing of the broker's",
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

    @Test("What was answered is known after a restart, what was only begun is not")
    func restart() throws {
        var memory = AnsweredCommands()
        _ = memory.come("done", reply: here)
        _ = memory.answered("done", [1])
        memory.delivered("done")
        _ = memory.come("answered", reply: here)
        _ = memory.answered("answered", [2])
        _ = memory.come("begun", reply: here)
        var later = try JSONText.decode(AnsweredCommands.self, from: JSONText.bytes(of: memory.lasting))
        #expect(later.undelivered.map(\.id) == ["answered"])
        #expect(later.come("done", reply: here) == .ignore)
        #expect(later.come("begun", reply: here) == .begin)
    }

    @Test("The memory is bounded, and a long answer is not kept")
    func bounds() {
        var memory = AnsweredCommands()
        for number in 0..<1000 {
            _ = memory.come("\(number)", reply: here)
            _ = memory.answered("\(number)", [UInt8](repeating: 0, count: 100_000))
            memory.delivered("\(number)")
        }
        #expect(memory.entries.count == AnsweredCommands.capacity)
        #expect(memory.entries.allSatisfy { $0.answer == nil })
        #expect(memory.come("999", reply: there) == .begin)
    }

    @Test(
        "A command that is none is answered with what would be right",
        arguments: [
            ("", "", "nothing here"), ("[]", "", "an object"), ("{ action: 'flush' }", "", "\"id\""),
            ("{ id: 7, action: 'flush' }", "", "\"id\""), ("{ id: 'a' }", "a", "get_status"),
            ("{ id: 'a', action: 'flush', expires_at: 'soon' }", "a", "2026-11-21T09:15:02Z"),
            ("{ id: 'a', id: 'b', action: 'flush' }", "", "second time"),
        ])
    func wrong(text: String, id: String, words: String) {
        do throws(CommandText.Refusal) {
            let request = try CommandText.request(Array(text.utf8))
            Issue.record("\(request)")
        } catch {
            #expect(error.id == id)
            #expect(error.problem.contains(words), "\(error.problem)")
        }
    }

    @Test("A command's own keys are kept")
    func parameters() throws {
        let request = try CommandText.request(
            Array("{ id: 'a', action: 'set_odometer', value: 5, expires_at: '2026-11-21T09:15:02Z' }".utf8))
        #expect(request.parameters == ["value": .integer(5)])
        #expect(request.expiresAt?.iso8601 == "2026-11-21T09:15:02.000Z")
    }

    @Test("A bucket lets a few through at once, then so many a second")
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
