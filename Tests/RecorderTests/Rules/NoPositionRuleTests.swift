import OdographCivilTime
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The rule no_position")
struct NoPositionRuleTests {
    private static let rule = Rule(
        name: "r", condition: .noPosition(seconds: 600), target: .command(["/bin/true"]), notifiesEnd: true)
    private let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
    private let origin = ContinuousClock.now
    private let vehicle = RuleVehicle(key: 7, fleet: "acme", device: "van-7")

    private func moment(_ seconds: Double) -> RuleMoment {
        RuleMoment(date: start.advanced(bySeconds: seconds), instant: origin + .seconds(seconds))
    }

    private func status(
        _ state: StatusMessage.State, _ reason: StatusMessage.Reason, connection: Int64, at seconds: Double,
        problems: [(Problem.Code, since: Double)]? = nil
    ) -> StatusMessage {
        StatusMessage(
            deviceID: "van-7", state: state, reason: reason, connection: connection, bootID: "b", runID: "r",
            version: "1",
            timestamp: start.advanced(bySeconds: seconds),
            problems: problems?.map { Problem(code: $0, text: "t", since: start.advanced(bySeconds: $1)) })
    }

    @Test(
        "A vehicle without a position triggers once after the time, and a position ends that",
        arguments: [Problem.Code.positionLost, .sourceLost, .sourceFailed])
    func noPosition(code: Problem.Code) {
        var engine = RuleEngine(rules: [Self.rule])
        func found(_ minutes: ClosedRange<Int>) -> [Int] {
            minutes.filter {
                !engine.findMissingPositions(at: moment(Double($0) * 60), connectedSince: origin).notifications.isEmpty
            }
        }
        let lost = status(.online, .connected, connection: 1, at: 60, problems: [(.budgetLow, 0), (code, 60)])
        _ = engine.handle(lost, of: vehicle, at: moment(60))
        #expect(found(2...30) == [11])
        // A last will says nothing about the receiver, and the broker sends it again.
        let will = status(.offline, .connectionLost, connection: 1, at: 60)
        #expect(engine.handle(will, of: vehicle, at: moment(1900)).notifications.isEmpty)
        // The database has the same problems after a restart.
        var state = RuleVehicleState(vehicle)
        (state.presence, state.positionMissingSince) = (.online, start.advanced(bySeconds: 60))
        var restarted = RuleEngine(rules: engine.rules, vehicles: [state])
        let connection = origin + .seconds(1000)
        #expect(restarted.findMissingPositions(at: moment(1020), connectedSince: connection).isEmpty)
        #expect(restarted.findMissingPositions(at: moment(1040), connectedSince: connection).notifications.count == 1)
        let found = status(.online, .connected, connection: 2, at: 2000, problems: [(.budgetLow, 0)])
        #expect(engine.handle(found, of: vehicle, at: moment(2000)).notifications.map(\.phase) == [.end])
    }

    @Test("A stopped vehicle, and one without the problem, are not without a position")
    func hasPosition() {
        var engine = RuleEngine(rules: [Self.rule])
        let other = RuleVehicle(key: 8, fleet: "acme", device: "van-8")
        let lost = status(.online, .connected, connection: 1, at: 0, problems: [(.positionLost, 0)])
        _ = engine.handle(lost, of: vehicle, at: moment(0))
        _ = engine.handle(status(.offline, .stopped, connection: 1, at: 60), of: vehicle, at: moment(60))
        _ = engine.handle(status(.online, .connected, connection: 1, at: 0), of: other, at: moment(0))
        #expect(engine.findMissingPositions(at: moment(7200), connectedSince: origin).isEmpty)
    }
}
