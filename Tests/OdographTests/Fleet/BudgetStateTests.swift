import OdographCivilTime
import OdographHarness
import OdographJSON
import Testing

@testable import Odograph
@testable import OdographOperator
@testable import OdographWire

@Suite("The traffic budget for operators")
struct BudgetStateTests {
    private static func state(
        _ bytes: Int64, _ step: BudgetState.Step, isDated: Bool = true
    ) throws -> BudgetState {
        let start = try ScheduleFixture.time("2026-11-01T00:00:00Z")
        let end = try ScheduleFixture.time("2026-12-01T00:00:00Z")
        return BudgetState(
            bytes: bytes, limit: 50_000_000, overshoot: max(bytes - 50_000_000, 0), step: step,
            from: isDated ? start : nil, until: isDated ? end : nil)
    }

    @Test("The text says how much is used, and what the step means")
    func text() throws {
        #expect(
            try Self.state(6_200_000, .normal).text == "12 % of 50 MB used since 2026-11-01 00:00:00 UTC; no effect")
        #expect(
            try Self.state(41_000_000, .low, isDated: false).text
                == "82 % of 50 MB used, in a period that is not known yet; records are sent in long batches until the "
                + "next period")
        #expect(
            try Self.state(50_310_000, .exhausted).text
                == "100 % of 50 MB used since 2026-11-01 00:00:00 UTC; locations wait on the disk until "
                + "2026-12-01 00:00:00 UTC; 0.31 MB more were sent for events")
        #expect(try Self.state(1, BudgetState.Step(rawValue: "later")).text.hasSuffix("; step later"))
    }

    @Test("The doctor says nothing without a budget, and warns from the first step on")
    func doctor() throws {
        func finding(_ state: BudgetState?) throws -> Finding? {
            var members: [String: JSONValue] = [:]
            if let state { members["budget"] = try JSONCoder.value(of: state) }
            return BudgetCheck.finding(
                agent: CommandRequest(id: "1", action: .getStatus).success(members))
        }
        #expect(BudgetCheck.finding(agent: nil) == nil)
        #expect(try finding(nil) == nil)
        #expect(try finding(Self.state(1, .normal))?.level == .ok)
        let warning = try #require(try finding(Self.state(50_000_000, .exhausted)))
        #expect(warning.level == .warn)
        #expect(warning.advice?.contains("monthly_budget") == true)
    }

    @Test("The fleet's table has a column if a vehicle has a budget, from the newer of report and status")
    func fleet() throws {
        let now = try ScheduleFixture.time("2026-11-20T08:00:00Z")
        func table(_ status: BudgetState?, _ report: BudgetState?) -> FleetTable {
            let statusMessage = StatusMessage(
                deviceID: "x", state: .online, reason: .connected, connection: 1, bootID: "", runID: "r", version: "1",
                timestamp: now, budget: status)
            let reportMessage = ReportedMessage(
                deviceID: "x", timestamp: now.advanced(bySeconds: -5), agentVersion: "1", levels: [], errors: [],
                configuration: nil, configurationHash: "", withinSchedule: true, nextScheduleChanges: [],
                tracking: TrackingState(isEnabled: true, offSchedule: nil, isMoving: nil),
                geofences: ReportedGeofences(), ledger: [], queue: QueueState(depth: 0, oldest: nil), budget: report,
                features: [])
            return FleetTable(
                ["van-7": FleetClient.Vehicle(status: statusMessage, report: reportMessage)], desired: [:])
        }
        let (newer, older) = (try Self.state(41_000_000, .low), try Self.state(6_200_000, .normal))
        #expect(!table(nil, nil).lines(now: now)[0].contains("BUDGET"))
        let shown = table(newer, older)
        #expect(shown.lines(now: now)[0].contains("BUDGET"))
        #expect(shown.lines(now: now)[1].contains("82 %"))
        #expect(table(nil, older).lines(now: now)[1].contains("12 %"))
        #expect(try shown.json().contains(#""budget":{"#))
        #expect(try table(nil, nil).json().contains(#""budget":null"#))
    }

    @Test("A report is published again for a tenth of the budget, another step or another period, not for each byte")
    func significance() throws {
        let state = try Self.state(6_000_000, .normal)
        #expect(try !Self.state(9_999_999, .normal).differsSignificantly(from: state))
        #expect(try Self.state(10_000_000, .normal).differsSignificantly(from: state))
        #expect(try Self.state(6_000_000, .low).differsSignificantly(from: state))
        #expect(try Self.state(6_000_000, .normal, isDated: false).differsSignificantly(from: state))
    }
}
