import OdographCivilTime
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

/// Rules about gaps.
extension RuleEngineTests {
    private func gaps(_ numbers: [ClosedRange<Int64>], epoch: Int64 = 3) -> [OpenGap] {
        numbers.map { OpenGap(vehicle: 7, epoch: epoch, numbers: $0) }
    }

    @Test("A gap triggers once when one of its numbers was missing for the time, and gaps that fill do not")
    func gap() {
        var engine = RuleEngine(rules: [rule(.gap(seconds: 600))], vehicles: [RuleVehicleState(vehicle)])
        var found: [Int: [RuleNotification]] = [:]
        // A moving vehicle: each minute another number is missing, and the one before it has come.
        for minute in 0..<30 {
            let open = gaps([Int64(minute * 10)...Int64(minute * 10)])
            found[minute] = engine.findGaps(open, at: moment(Double(minute) * 60)).notifications
        }
        #expect(found.values.filter { !$0.isEmpty }.isEmpty)
        // Then some numbers stay.
        for minute in 30..<90 {
            let fresh = Int64(1000 + minute * 10)
            let open = gaps([500...509, 600...600, fresh...fresh])
            found[minute] = engine.findGaps(open, at: moment(Double(minute) * 60)).notifications
        }
        #expect(found.filter { !$0.value.isEmpty }.keys.sorted() == [40])
        #expect(
            found[40]?.first?.missing?.map { [$0.from, $0.to] } == [[500, 509], [600, 600]],
            "\(found[40] ?? [])")
        // One of two gaps fills: the rest is known.
        #expect(engine.findGaps(gaps([505...509]), at: moment(6000)).notifications.isEmpty)
        // A new gap is news; the end of the first ones comes with the last number.
        _ = engine.findGaps(gaps([505...509, 5000...5001]), at: moment(6060))
        let second = engine.findGaps(gaps([505...509, 5000...5001]), at: moment(6700)).notifications
        #expect(second.map { $0.missing?.map(\.from) } == [[5000]])
        let end = engine.findGaps([], at: moment(6800))
        #expect(end.notifications.map(\.phase) == [.end] && engine.episodes.isEmpty)
    }

    @Test("Epochs and vehicles are watched apart, and unknown vehicles not at all")
    func gapPlaces() {
        var engine = RuleEngine(rules: [rule(.gap(seconds: 60))], vehicles: [RuleVehicleState(vehicle)])
        let open = gaps([5...6]) + gaps([1...2], epoch: 9) + [OpenGap(vehicle: 99, epoch: 1, numbers: 2...3)]
        _ = engine.findGaps(open, at: moment(0))
        let found = engine.findGaps(open, at: moment(60)).notifications
        #expect(Set(found.map { $0.missing?.first?.epoch }) == [3, 9] && found.count == 2)
        #expect(Set(found.map(\.id)).count == 2)
    }

    @Test("While the budget is exhausted the missing numbers wait in the vehicle; after it they have the time to come")
    func exhaustedBudget() throws {
        var engine = RuleEngine(rules: [rule(.gap(seconds: 600))], vehicles: [RuleVehicleState(vehicle)])
        let open = gaps([5...6])
        func look(at seconds: Double) -> [RuleNotification.Phase] {
            engine.findGaps(open, at: moment(seconds)).notifications.map(\.phase)
        }
        #expect(look(at: 0) == [])
        var report = try JSONCoder.decode(ReportedMessage.self, from: Payloads.reported([], at: 60))
        report.budget = BudgetState(bytes: 9, limit: 8, overshoot: 1, step: .exhausted, from: nil, until: nil)
        _ = engine.handle(report, of: vehicle, at: moment(60))
        for minute in 2..<60 { #expect(look(at: Double(minute) * 60) == []) }
        // A last will says nothing about it.
        var status = StatusMessage(
            deviceID: "van-7", state: .offline, reason: .connectionLost, connection: 1, bootID: "b", runID: "r",
            version: "1", timestamp: start.advanced(bySeconds: 3610))
        _ = engine.handle(status, of: vehicle, at: moment(3610))
        #expect(look(at: 4800) == [])
        status.state = .online
        status.reason = .connected
        status.connection = 2
        status.timestamp = start.advanced(bySeconds: 5000)
        _ = engine.handle(status, of: vehicle, at: moment(5000))
        #expect(look(at: 5010) == [] && look(at: 5600) == [] && look(at: 5610) == [.begin])
    }

    @Test("A restart of the recorder does not forget an exhausted budget", arguments: DatabaseKind.allCases)
    func storedBudget(kind: DatabaseKind) async throws {
        let exhausted = BudgetState(bytes: 9, limit: 8, overshoot: 1, step: .exhausted, from: nil, until: nil)
        var status = try JSONCoder.decode(StatusMessage.self, from: Payloads.status(.online, connection: 1))
        status.budget = exhausted
        let archive = try await Archive.make(
            kind,
            [
                (van + "location", try Payloads.location(1)), (van + "location", try Payloads.location(4)),
                (van + "status", try JSONCoder.bytes(of: status)),
            ])
        let open = try OpenGap.read(from: archive.location)
        #expect(open.map(\.numbers) == [2...3])
        try archive.database.begin([rule(.gap(seconds: 0))])
        for _ in 0..<3 { try archive.database.tick(connectedSince: nil, gaps: open) }
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["0"]])
        try archive.store([(van + "reported", try Payloads.reported([], at: 60))])
        for _ in 0..<3 { try archive.database.tick(connectedSince: nil, gaps: open) }
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["1"]])
    }
}
