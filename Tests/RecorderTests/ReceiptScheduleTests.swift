import OdographCivilTime
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The schedule of the receipts")
struct ReceiptScheduleTests {
    private let start = ContinuousClock.now
    private let vehicle: DeviceAddress

    init() throws { vehicle = try DeviceAddress(fleet: "acme", device: "van-7") }

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func seconds(_ instant: ContinuousClock.Instant?) -> Double? {
        instant.map { start.duration(to: $0) / .seconds(1) }
    }

    /// Returns a connected schedule whose first receipts are due 1 s after the start.
    private func schedule(readers: Bool = true, interval: Int = 600) -> ReceiptSchedule {
        var schedule = ReceiptSchedule(times: ReceiptSchedule.Times(interval: interval))
        schedule.connect(databaseID: "mine", readers: readers ? [vehicle] : [], now: start)
        schedule.subscribe(now: start)
        return schedule
    }

    private func statement(through: Int64 = 5, database: String = "mine", revision: Int64 = 0) -> Receipt {
        Receipt(
            databaseID: database, revision: revision, interval: 600,
            epochs: [Receipt.Epoch(epoch: 7, through: through, safe: through)])
    }

    /// Publishes what is due at a time.
    private func publish(
        _ schedule: inout ReceiptSchedule, at time: Double, _ statement: Receipt, databaseRevision: Int64 = 0,
        milliseconds: Int64 = 0
    ) -> Receipt? {
        guard schedule.takeDue(now: at(time), limit: 10) == [vehicle] else { return nil }
        return schedule.receiptToPublish(
            statement, for: vehicle, databaseRevision: databaseRevision, milliseconds: milliseconds)
    }

    /// The vehicle reports a receipt of the own store.
    private func report(
        _ schedule: inout ReceiptSchedule, revision: Int64, at time: Double, readsReceipts: Bool = true
    ) {
        schedule.store(
            reportOf: vehicle, readsReceipts: readsReceipts,
            receipt: ReportedReceipt(
                recorder: "main", databaseID: "mine", revision: revision,
                receivedAt: Timestamp(millisecondsSinceEpoch: 0)),
            now: at(time), milliseconds: Int64(time * 1000))
    }

    @Test("The first receipt comes after the subscription, the next ones in the interval")
    func interval() {
        var schedule = schedule()
        #expect(seconds(schedule.nextDue) == 1)
        #expect(schedule.takeDue(now: at(0.5), limit: 10) == [])
        #expect(publish(&schedule, at: 1, statement())?.revision == 1)
        #expect(schedule.nextDue == nil)
        schedule.store(recordOf: vehicle, isBacklog: false, now: at(20))
        schedule.store(recordOf: vehicle, isBacklog: false, now: at(30))
        #expect(seconds(schedule.nextDue) == 601)
        #expect(publish(&schedule, at: 601, statement(through: 7))?.revision == 2)
        // After a pause the next record gets a receipt at once.
        schedule.store(recordOf: vehicle, isBacklog: false, now: at(2000))
        #expect(seconds(schedule.nextDue) == 2000)
    }

    @Test("While a backlog drains, a receipt comes after 100 records, at most every 10 s")
    func drain() {
        var schedule = schedule()
        _ = publish(&schedule, at: 1, statement())
        for _ in 1..<100 { schedule.store(recordOf: vehicle, isBacklog: true, now: at(2)) }
        #expect(seconds(schedule.nextDue) == 601)
        schedule.store(recordOf: vehicle, isBacklog: true, now: at(2))
        #expect(seconds(schedule.nextDue) == 11)
        _ = publish(&schedule, at: 11, statement())
        schedule.store(recordOf: vehicle, isBacklog: true, now: at(12))
        #expect(seconds(schedule.nextDue) == 611)
        #expect(ReceiptSchedule.Times(interval: 4).shortest == .seconds(4))
    }

    @Test("A receipt that the broker has is not published again, unless a newer one is known")
    func unchanged() {
        var schedule = schedule()
        #expect(schedule.receive(statement(revision: 40), of: vehicle, isRetained: true, now: at(0)) == nil)
        #expect(publish(&schedule, at: 1, statement()) == nil)
        // The vehicle has a newer receipt, for example before the broker lost its data.
        report(&schedule, revision: 50, at: 2)
        #expect(publish(&schedule, at: 11, statement())?.revision == 51)
        // The vehicle reports it.
        report(&schedule, revision: 51, at: 12)
        #expect(schedule.nextDue == nil)
        // The database knows a newer one than the broker has after its return to an older state.
        schedule.connect(databaseID: "mine", readers: [vehicle], now: at(30))
        schedule.subscribe(now: at(30))
        #expect(schedule.receive(statement(revision: 40), of: vehicle, isRetained: true, now: at(30)) == nil)
        #expect(publish(&schedule, at: 31, statement(), databaseRevision: 60)?.revision == 61)
    }

    @Test("The revision is above all known ones, and not below the time")
    func revision() {
        for (retained, database, milliseconds, expected) in [
            (0, 0, 9, 9), (20, 0, 9, 21), (0, 30, 9, 31), (20, 30, 90, 90),
            (ReceiptSchedule.maximumRevision + 1, 0, 9, 9),
        ] as [(Int64, Int64, Int64, Int64)] {
            var schedule = schedule()
            if retained > 0 {
                _ = schedule.receive(
                    statement(through: 1, database: "former", revision: retained), of: vehicle, isRetained: true,
                    now: at(0))
            }
            #expect(
                publish(&schedule, at: 1, statement(), databaseRevision: database, milliseconds: milliseconds)?.revision
                    == expected)
        }
    }

    @Test("A vehicle gets receipts if it reads them, or if the broker has one of the own store")
    func readers() {
        var schedule = schedule(readers: false)
        schedule.store(recordOf: vehicle, isBacklog: false, now: at(2))
        schedule.store(reportOf: vehicle, readsReceipts: false, receipt: nil, now: at(2), milliseconds: 0)
        #expect(schedule.nextDue == nil)
        schedule.store(reportOf: vehicle, readsReceipts: true, receipt: nil, now: at(3), milliseconds: 0)
        #expect(publish(&schedule, at: 3, statement()) != nil)
        var other = self.schedule(readers: false)
        #expect(other.receive(nil, of: vehicle, isRetained: true, now: at(0)) == nil)
        #expect(publish(&other, at: 1, statement()) != nil)
    }

    @Test("Own receipts that the broker passes on change nothing, a deleted one is published again")
    func echo() throws {
        var schedule = schedule()
        let first = try #require(publish(&schedule, at: 1, statement()))
        #expect(schedule.receive(first, of: vehicle, isRetained: false, now: at(2)) == nil)
        #expect(schedule.nextDue == nil)
        schedule.receiveDeletion(of: vehicle, now: at(3))
        #expect(publish(&schedule, at: 11, statement())?.revision == 2)
    }

    @Test("A receipt of another database is one of a former database, unless it comes after an own one")
    func others() throws {
        var schedule = schedule()
        let other = statement(database: "other", revision: 7)
        // One that waited in the session, and a retained one.
        #expect(schedule.receive(other, of: vehicle, isRetained: false, now: at(0)) == nil)
        #expect(schedule.receive(other, of: vehicle, isRetained: true, now: at(0)) == nil)
        let own = try #require(publish(&schedule, at: 1, statement()))
        #expect(own.revision == 8)
        // Before the own one.
        #expect(schedule.receive(other, of: vehicle, isRetained: false, now: at(1)) == nil)
        #expect(publish(&schedule, at: 11, statement())?.revision == 9)
        #expect(schedule.receive(own, of: vehicle, isRetained: false, now: at(12)) == nil)
        #expect(schedule.receive(other, of: vehicle, isRetained: false, now: at(13)) == "other")
        // After a reconnect the broker can have an older state.
        schedule.connect(databaseID: "mine", readers: [], now: at(14))
        #expect(schedule.receive(other, of: vehicle, isRetained: true, now: at(14)) == nil)
    }

    @Test("A receipt of another database that has waited in the session ends nothing")
    func waitingOthers() throws {
        var schedule = schedule()
        _ = publish(&schedule, at: 1, statement())
        schedule.disconnect()
        // Another recorder has run meanwhile. The session has the own receipt of the last connection, and its one.
        schedule.connect(databaseID: "mine", readers: [vehicle], now: at(20))
        for receipt in [statement(revision: 1), statement(database: "other", revision: 2), statement(revision: 3)] {
            #expect(schedule.receive(receipt, of: vehicle, isRetained: false, now: at(20)) == nil)
        }
        schedule.subscribe(now: at(20))
        let other = statement(database: "other", revision: 4)
        #expect(schedule.receive(other, of: vehicle, isRetained: true, now: at(20)) == nil)
        let own = try #require(publish(&schedule, at: 21, statement()))
        #expect(own.revision == 5)
        #expect(schedule.receive(own, of: vehicle, isRetained: false, now: at(21)) == nil)
        #expect(schedule.receive(other, of: vehicle, isRetained: false, now: at(22)) == "other")
    }

    @Test("After a backup all receipts are due, and without a connection none")
    func backup() {
        var schedule = schedule()
        _ = publish(&schedule, at: 1, statement())
        schedule.completeBackup(now: at(15))
        #expect(seconds(schedule.nextDue) == 15)
        schedule.disconnect()
        #expect(schedule.nextDue == nil && schedule.takeDue(now: at(19), limit: 10) == [])
    }

    /// Something that a vehicle or another client publishes again and again.
    enum Flood: CaseIterable {
        case revisions, greatestRevisions, inventedRevisions, features, records, backlog, deletions, unreadable
        case retainedUnreadable, formerDatabase
    }

    @Test("Whatever is published, and however often, a receipt comes at most every 10 s", arguments: Flood.allCases)
    func flood(_ flood: Flood) throws {
        var schedule = schedule()
        var (published, newest) = (0, Int64(0))
        for tenth in 10...10_000 {
            let time = Double(tenth) / 10
            switch flood {
            case .revisions: report(&schedule, revision: newest + 1, at: time)
            case .greatestRevisions:
                report(&schedule, revision: Int64(tenth) * 100 + ReceiptSchedule.maximumReportedLead, at: time)
            case .inventedRevisions: report(&schedule, revision: .max - Int64(tenth), at: time)
            case .features: report(&schedule, revision: 0, at: time, readsReceipts: tenth.isMultiple(of: 2))
            case .records: schedule.store(recordOf: vehicle, isBacklog: false, now: at(time))
            case .backlog:
                for _ in 0..<200 { schedule.store(recordOf: vehicle, isBacklog: true, now: at(time)) }
            case .deletions: schedule.receiveDeletion(of: vehicle, now: at(time))
            case .unreadable: _ = schedule.receive(nil, of: vehicle, isRetained: false, now: at(time))
            case .retainedUnreadable:
                let receipt = statement(revision: ReceiptSchedule.maximumRevision + 1)
                _ = schedule.receive(receipt, of: vehicle, isRetained: true, now: at(time))
            case .formerDatabase:
                let receipt = statement(database: "former", revision: newest + 1)
                _ = schedule.receive(receipt, of: vehicle, isRetained: true, now: at(time))
            }
            let statement = statement(through: Int64(tenth))
            guard let receipt = publish(&schedule, at: time, statement, milliseconds: Int64(tenth) * 100) else {
                continue
            }
            published += 1
            newest = receipt.revision
            // The broker passes it on.
            #expect(schedule.receive(receipt, of: vehicle, isRetained: false, now: at(time)) == nil)
        }
        #expect((1...101).contains(published))
        #expect(newest <= 1_000_000 + ReceiptSchedule.maximumReportedLead + 101)
    }

    @Test("A revision that no recorder can have published drives nothing, and nothing follows from it")
    func inventedRevision() throws {
        for revision in [1 << 53, 1 << 53 - 1, .max, ReceiptSchedule.maximumReportedLead + 9_001] as [Int64] {
            var schedule = schedule()
            _ = publish(&schedule, at: 1, statement())
            report(&schedule, revision: revision, at: 9)
            #expect(schedule.nextDue == nil, "\(revision)")
        }
        // The greatest one of the broker: the own ones after it are read back, and nothing follows from them.
        var schedule = schedule()
        let retained = statement(database: "former", revision: ReceiptSchedule.maximumRevision)
        #expect(schedule.receive(retained, of: vehicle, isRetained: true, now: at(0)) == nil)
        let own = try #require(publish(&schedule, at: 1, statement()))
        #expect(own.revision == ReceiptSchedule.maximumRevision + 1)
        #expect(schedule.receive(own, of: vehicle, isRetained: false, now: at(2)) == nil)
        #expect(schedule.nextDue == nil)
    }

    @Test("At most the given number of vehicles is due at a time")
    func many() throws {
        let vehicles = try (0..<10).map { try DeviceAddress(fleet: "acme", device: "v\($0)") }
        var schedule = ReceiptSchedule(times: ReceiptSchedule.Times(interval: 600))
        schedule.connect(databaseID: "mine", readers: vehicles, now: start)
        schedule.subscribe(now: start)
        let first = schedule.takeDue(now: at(1), limit: 7)
        let rest = schedule.takeDue(now: at(1), limit: 7)
        #expect(first.count == 7 && rest.count == 3 && Set(first + rest) == Set(vehicles))
    }
}
