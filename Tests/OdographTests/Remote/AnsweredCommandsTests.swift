import Harness
import Testing

@testable import Odograph

@Suite("The memory of answered commands")
struct AnsweredCommandsTests {
    private let here = AnsweredCommands.Reply(topic: "fleet/acme/van-7/response")

    /// A command comes, and is done and delivered where that is the verdict.
    private func run(_ id: String, at now: Int64, _ memory: inout AnsweredCommands) -> AnsweredCommands.Verdict {
        let verdict = memory.come(id, reply: here, isQuestion: false, atUptimeMilliseconds: now)
        if verdict == .begin {
            _ = memory.answered(id, [1])
            memory.delivered(id)
        }
        return verdict
    }

    @Test("A command that comes again within the hour is not done again, however many came between")
    func withinTheHour() {
        var memory = AnsweredCommands()
        #expect(run("old", at: 0, &memory) == .begin)
        for number in 0..<2000 { #expect(run("\(number)", at: 1 + Int64(number), &memory) == .begin) }
        #expect(run("old", at: AnsweredCommands.rememberedMilliseconds - 1, &memory) == .ignore)
    }

    @Test("After the hour it is known for as long as fewer than 64 have come since")
    func afterTheHour() {
        var memory = AnsweredCommands()
        #expect(run("old", at: 0, &memory) == .begin)
        for number in 1..<AnsweredCommands.capacity { _ = run("\(number)", at: 1, &memory) }
        #expect(run("old", at: 10 * AnsweredCommands.rememberedMilliseconds, &memory) == .ignore)
    }

    @Test("Where there is no room a command is refused, and none is forgotten")
    func full() {
        var memory = AnsweredCommands()
        let room = AnsweredCommands.capacity + AnsweredCommands.earlierCapacity
        for number in 0..<room { #expect(run("\(number)", at: 0, &memory) == .begin) }
        #expect(run("new", at: 1, &memory) == .full)
        #expect(run("0", at: 1, &memory) == .ignore)
        #expect(run("new", at: AnsweredCommands.rememberedMilliseconds, &memory) == .begin)
    }

    @Test("The commands that may be done within the hour have room")
    func rate() {
        let seconds = AnsweredCommands.rememberedMilliseconds / 1000
        let most = CommandRate.reserve + CommandRate.perHour * Int(seconds) / 3600
        #expect(most <= AnsweredCommands.earlierCapacity)
    }

    @Test("An answer that is being made or sent keeps its place")
    func underWay() {
        var memory = AnsweredCommands()
        _ = memory.come("slow", reply: here, isQuestion: false, atUptimeMilliseconds: 0)
        for number in 0..<200 { _ = run("\(number)", at: 0, &memory) }
        #expect(memory.answered("slow", [1]) == [here])
        for number in 200..<400 { _ = run("\(number)", at: 0, &memory) }
        #expect(memory.undelivered.map(\.id) == ["slow"])
    }

    @Test("What an earlier version has saved is read")
    func earlierVersion() throws {
        let saved = #"{"entries":[{"answer":[1],"id":"a","isDelivered":true,"replies":[{"topic":"t"}]}]}"#
        var memory = try JSONText.decode(AnsweredCommands.self, from: Array(saved.utf8))
        memory.resume(atUptimeMilliseconds: 0)
        #expect(memory.come("a", reply: .init(topic: "t"), isQuestion: false, atUptimeMilliseconds: 0) == .ignore)
    }

    /// New commands and old ones again, in any order, with pauses, floods and restarts between them.
    @Test("No command is done twice within an hour, whatever happens", arguments: 0..<6)
    func history(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var memory = AnsweredCommands()
        var rate = CommandRate()
        var now: Int64 = 0
        var doneAt: [String: Int64] = [:]
        var ids: [String] = []
        for step in 0..<3000 {
            now += [0, 10, 200, 2000, 60_000][Int.random(in: 0..<5, using: &random)]
            if Int.random(in: 0..<500, using: &random) == 0 {
                let saved = try JSONText.bytes(of: memory.lasting)
                memory = try JSONText.decode(AnsweredCommands.self, from: saved)
                memory.resume(atUptimeMilliseconds: now)
                rate = CommandRate()
            }
            guard rate.take(atUptimeMilliseconds: now) else { continue }
            let isAgain = !ids.isEmpty && Int.random(in: 0..<3, using: &random) == 0
            let id = isAgain ? ids[Int.random(in: max(ids.count - 600, 0)..<ids.count, using: &random)] : "\(step)"
            if !isAgain { ids.append(id) }
            guard run(id, at: now, &memory) == .begin else { continue }
            if let before = doneAt[id] {
                #expect(now - before >= AnsweredCommands.rememberedMilliseconds, "\(id) after \(now - before) ms")
            }
            doneAt[id] = now
        }
        #expect(doneAt.count > 200)
    }

    @Test("Of commands that are too many one a minute is told of, with how many there were")
    func notices() {
        var rate = CommandRate()
        var done = 0
        var told: [Int] = []
        for now in stride(from: Int64(0), to: 180_000, by: 6) {
            if rate.take(atUptimeMilliseconds: now) {
                done += 1
            } else {
                rate.refuse(1)
                if rate.isNoticeDue(atUptimeMilliseconds: now) { told.append(rate.notice(atUptimeMilliseconds: now)) }
            }
        }
        #expect(told.count == 3)
        #expect(told.first == 1)
        #expect(done <= CommandRate.reserve + CommandRate.perHour / 20)
        #expect(done + told.reduce(0, +) <= 30_000)
    }
}
