import Testing

@testable import OdographRecorder

@Suite("Whose notification is delivered next")
struct DeliveryTurnTests {
    private let start = ContinuousClock.now

    private func end(_ turn: inout DeliveryTurn, _ result: DeliveryResult, of vehicle: Int64, at second: Int) {
        turn.end(result, of: vehicle, at: start + .seconds(second)) { .seconds($0 * 10) }
    }

    @Test(
        "A notification that fails does not hold up another vehicle; two vehicles that fail mean a target that is away")
    func failures() {
        var turn = DeliveryTurn()
        #expect(turn.vehicle == 0 && turn.isOpen(at: start))
        for second in 0..<3 {
            end(&turn, .failed("x"), of: 7, at: second)
            #expect(turn.vehicle == 7 && turn.isOpen(at: start + .seconds(second)))
        }
        end(&turn, .failed("x"), of: 8, at: 4)
        #expect(!turn.isOpen(at: start + .seconds(23)) && turn.isOpen(at: start + .seconds(24)))
        end(&turn, .failed("x"), of: 9, at: 24)
        #expect(!turn.isOpen(at: start + .seconds(53)) && turn.isOpen(at: start + .seconds(54)))
        // One success: the target is back.
        end(&turn, .delivered, of: 7, at: 54)
        #expect(turn.isOpen(at: start + .seconds(54)) && turn.failures == 0)
        end(&turn, .failed("x"), of: 8, at: 55)
        end(&turn, .refused("x"), of: 9, at: 56)
        end(&turn, .failed("x"), of: 8, at: 57)
        #expect(turn.isOpen(at: start + .seconds(57)))
    }

    @Test(
        "A vehicle triggers 100 notifications of a rule at once, and 100 an hour; other vehicles and rules have their own"
    )
    func gate() {
        var gate = NotificationGate()
        let key = NotificationGate.Key(rule: "depot", vehicle: 7)
        func count(_ key: NotificationGate.Key, at second: Int64) -> Int {
            (0..<500).count { _ in gate.admit(key, atUptimeMilliseconds: second * 1000) }
        }
        #expect(count(key, at: 0) == 100 && count(key, at: 0) == 0)
        #expect(count(NotificationGate.Key(rule: "depot", vehicle: 8), at: 0) == 100)
        #expect(count(NotificationGate.Key(rule: "speed", vehicle: 7), at: 0) == 100)
        #expect(count(key, at: 1810) == 50 && count(key, at: 1_000_000) == 100)
    }
}
