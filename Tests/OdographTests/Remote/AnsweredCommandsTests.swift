import OdographHarness
import OdographJSON
import Testing

@testable import Odograph

@Suite("The memory of answered commands")
struct AnsweredCommandsTests {
    private let here = AnsweredCommands.Reply(topic: "fleet/acme/van-7/response")

    /// Registers a command. If the verdict is to execute, records and delivers its answer.
    private func run(_ id: String, at now: Int64, _ memory: inout AnsweredCommands) -> AnsweredCommands.Verdict {
        let verdict = memory.register(id, reply: here, isQuery: false, atUptimeMilliseconds: now)
        if verdict == .execute {
            _ = memory.recordAnswer(id, [1])
            memory.markDelivered(id)
        }
        return verdict
    }

    @Test("A command that is repeated within the hour is not executed again, after any number of others")
    func withinTheHour() {
        var memory = AnsweredCommands()
        #expect(run("old", at: 0, &memory) == .execute)
        for number in 0..<2000 { #expect(run("\(number)", at: 1 + Int64(number), &memory) == .execute) }
        #expect(run("old", at: AnsweredCommands.retentionMilliseconds - 1, &memory) == .ignore)
    }

    @Test("After the hour a command is remembered until 64 others have come")
    func afterTheHour() {
        var memory = AnsweredCommands()
        #expect(run("old", at: 0, &memory) == .execute)
        for number in 1..<AnsweredCommands.capacity { _ = run("\(number)", at: 1, &memory) }
        #expect(run("old", at: 10 * AnsweredCommands.retentionMilliseconds, &memory) == .ignore)
    }

    @Test("A command is refused if the memory is full, and none is forgotten")
    func full() {
        var memory = AnsweredCommands()
        let room = AnsweredCommands.capacity + AnsweredCommands.earlierCapacity
        for number in 0..<room { #expect(run("\(number)", at: 0, &memory) == .execute) }
        #expect(run("new", at: 1, &memory) == .full)
        #expect(run("0", at: 1, &memory) == .ignore)
        #expect(run("new", at: AnsweredCommands.retentionMilliseconds, &memory) == .execute)
    }

    @Test("The capacity covers every command that the rate limit admits within the hour")
    func rate() {
        let seconds = AnsweredCommands.retentionMilliseconds / 1000
        let most = CommandRateLimiter.reserve + CommandRateLimiter.perHour * Int(seconds) / 3600
        #expect(most <= AnsweredCommands.earlierCapacity)
    }

    @Test("A command whose answer is pending or being sent is not forgotten")
    func underWay() {
        var memory = AnsweredCommands()
        _ = memory.register("slow", reply: here, isQuery: false, atUptimeMilliseconds: 0)
        for number in 0..<200 { _ = run("\(number)", at: 0, &memory) }
        #expect(memory.recordAnswer("slow", [1]) == [here])
        for number in 200..<400 { _ = run("\(number)", at: 0, &memory) }
        #expect(memory.undelivered.map(\.id) == ["slow"])
    }

    /// Registers new and repeated commands in random order, with pauses, floods and restarts.
    @Test("No command is executed twice within an hour", arguments: 0..<6)
    func history(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var memory = AnsweredCommands()
        var rate = CommandRateLimiter()
        var now: Int64 = 0
        var doneAt: [String: Int64] = [:]
        var ids: [String] = []
        for step in 0..<3000 {
            now += [0, 10, 200, 2000, 60_000][Int.random(in: 0..<5, using: &random)]
            if Int.random(in: 0..<500, using: &random) == 0 {
                let saved = try JSONCoder.bytes(of: memory.persistentCopy)
                memory = try JSONCoder.decode(AnsweredCommands.self, from: saved)
                memory.resetTimes(atUptimeMilliseconds: now)
                rate = CommandRateLimiter()
            }
            guard rate.admit(atUptimeMilliseconds: now) else { continue }
            let isAgain = !ids.isEmpty && Int.random(in: 0..<3, using: &random) == 0
            let id = isAgain ? ids[Int.random(in: max(ids.count - 600, 0)..<ids.count, using: &random)] : "\(step)"
            if !isAgain { ids.append(id) }
            guard run(id, at: now, &memory) == .execute else { continue }
            if let before = doneAt[id] {
                #expect(now - before >= AnsweredCommands.retentionMilliseconds, "\(id) after \(now - before) ms")
            }
            doneAt[id] = now
        }
        #expect(doneAt.count > 200)
    }

    @Test("Excess commands cause one notice a minute, with their count")
    func notices() {
        var rate = CommandRateLimiter()
        var done = 0
        var told: [Int] = []
        for now in stride(from: Int64(0), to: 180_000, by: 6) {
            if rate.admit(atUptimeMilliseconds: now) {
                done += 1
            } else {
                rate.addRefused(1)
                if rate.isNoticeDue(atUptimeMilliseconds: now) {
                    told.append(rate.takeRefusedCount(atUptimeMilliseconds: now))
                }
            }
        }
        #expect(told.count == 3)
        #expect(told.first == 1)
        #expect(done <= CommandRateLimiter.reserve + CommandRateLimiter.perHour / 20)
        #expect(done + told.reduce(0, +) <= 30_000)
    }

    @Test("A full memory of an earlier run loses no command when it is merged")
    func merged() throws {
        let most = AnsweredCommands.capacity + AnsweredCommands.earlierCapacity
        var (earlierRun, memory) = (AnsweredCommands(), AnsweredCommands())
        for number in 0..<most { _ = run("old \(number)", at: 0, &earlierRun) }
        for number in 0..<most { _ = run("new \(number)", at: 0, &memory) }
        memory.merge(earlierRun)
        let saved = try JSONCoder.decode(AnsweredCommands.self, from: JSONCoder.bytes(of: memory.persistentCopy))
        for number in 0..<most {
            for id in ["old \(number)", "new \(number)"] { #expect(memory.isKnown(id) && saved.isKnown(id), "\(id)") }
        }
        #expect(run("next", at: 1, &memory) == .full)
        #expect(run("next", at: AnsweredCommands.retentionMilliseconds, &memory) == .execute)
    }
}
