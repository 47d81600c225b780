import OdographHarness
import Testing

@testable import Odograph

@Suite("The schedule of roll calls")
struct RollCallScheduleTests {
    @Test("The first roll call is answered after its random delay, and those before the answer need no other")
    func merged() {
        var schedule = RollCallSchedule()
        #expect(schedule.ask(atUptimeMilliseconds: 1000, delayMilliseconds: 3000) == 4000)
        for now in stride(from: Int64(1000), through: 4000, by: 500) {
            #expect(schedule.ask(atUptimeMilliseconds: now, delayMilliseconds: 0) == nil)
        }
        schedule.answer(atUptimeMilliseconds: 4000)
        #expect(schedule.ask(atUptimeMilliseconds: 60_000, delayMilliseconds: 100) == 60_100)
    }

    @Test("Any number of roll calls gives at most one answer in eight seconds, and each is answered within eight")
    func bounded() {
        var random = SplitMix64(seed: 7)
        var schedule = RollCallSchedule()
        var (planned, answers): (Int64?, [Int64]) = (nil, [])
        var unanswered: [Int64] = []
        for now in stride(from: Int64(0), to: 600_000, by: 10) {
            if planned == now {
                schedule.answer(atUptimeMilliseconds: now)
                #expect(unanswered.allSatisfy { now - $0 <= RollCallSchedule.intervalMilliseconds })
                (planned, unanswered) = (nil, [])
                answers.append(now)
            }
            guard Int.random(in: 0..<100, using: &random) == 0 else { continue }
            unanswered.append(now)
            let delay = Int64.random(in: 0...RollCallSchedule.longestDelayMilliseconds / 10, using: &random) * 10
            if let due = schedule.ask(atUptimeMilliseconds: now, delayMilliseconds: delay) { planned = due }
        }
        #expect(answers.count > 50)
        #expect(zip(answers, answers.dropFirst()).allSatisfy { $1 - $0 >= RollCallSchedule.intervalMilliseconds })
    }
}
