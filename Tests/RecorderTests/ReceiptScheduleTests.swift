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
        schedule.connect(storeID: "mine", readers: readers ? [vehicle] : [], now: start)
        schedule.subscribe(now: start)
        return schedule
    }

    private func statement(through: Int64 = 5, store: String = "mine", revision: Int64 = 0) -> Receipt {
        Receipt(
            storeID: store, revision: revision, interval: 600,
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
        #expect(ReceiptSchedule.Times(interval: 4).drain == .seconds(4))
    }

    @Test("A receipt that the broker has is not published again, unless a newer one is known")
    func unchanged() {
        var schedule = schedule()
        #expect(schedule.receive(statement(revision: 40), of: vehicle, isRetained: true, now: at(0)) == nil)
        #expect(publish(&schedule, at: 1, statement()) == nil)
        // The vehicle has a newer receipt, for example before the broker lost its data.
        schedule.store(
            reportOf: vehicle, readsReceipts: true,
            receipt: ReportedReceipt(
                store: "main", storeID: "mine", revision: 50, receivedAt: Timestamp(millisecondsSinceEpoch: 0)),
            now: at(2))
        #expect(publish(&schedule, at: 2, statement())?.revision == 51)
        // The vehicle reports it.
        schedule.store(
            reportOf: vehicle, readsReceipts: true,
            receipt: ReportedReceipt(
                store: "main", storeID: "mine", revision: 51, receivedAt: Timestamp(millisecondsSinceEpoch: 0)),
            now: at(3))
        #expect(schedule.nextDue == nil)
        // The database knows a newer one than the broker has after its return to an older state.
        schedule.connect(storeID: "mine", readers: [vehicle], now: at(4))
        schedule.subscribe(now: at(4))
        #expect(schedule.receive(statement(revision: 40), of: vehicle, isRetained: true, now: at(4)) == nil)
        #expect(publish(&schedule, at: 5, statement(), databaseRevision: 60)?.revision == 61)
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
                    statement(through: 1, store: "former", revision: retained), of: vehicle, isRetained: true,
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
        schedule.store(reportOf: vehicle, readsReceipts: false, receipt: nil, now: at(2))
        #expect(schedule.nextDue == nil)
        schedule.store(reportOf: vehicle, readsReceipts: true, receipt: nil, now: at(3))
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
        #expect(publish(&schedule, at: 3, statement())?.revision == 2)
    }

    @Test("A receipt of another database is one of a former database, unless it comes after an own one")
    func others() throws {
        var schedule = schedule()
        let other = statement(store: "other", revision: 7)
        // One that waited in the session, and a retained one.
        #expect(schedule.receive(other, of: vehicle, isRetained: false, now: at(0)) == nil)
        #expect(schedule.receive(other, of: vehicle, isRetained: true, now: at(0)) == nil)
        let own = try #require(publish(&schedule, at: 1, statement()))
        #expect(own.revision == 8)
        // Before the own one.
        #expect(schedule.receive(other, of: vehicle, isRetained: false, now: at(1)) == nil)
        #expect(publish(&schedule, at: 2, statement())?.revision == 9)
        #expect(schedule.receive(own, of: vehicle, isRetained: false, now: at(2)) == nil)
        #expect(schedule.receive(other, of: vehicle, isRetained: false, now: at(3)) == "other")
        // After a reconnect the broker can have an older state.
        schedule.connect(storeID: "mine", readers: [], now: at(4))
        #expect(schedule.receive(other, of: vehicle, isRetained: true, now: at(4)) == nil)
    }

    @Test("After a backup all receipts are due, and without a connection none")
    func backup() {
        var schedule = schedule()
        _ = publish(&schedule, at: 1, statement())
        schedule.completeBackup(now: at(5))
        #expect(seconds(schedule.nextDue) == 5)
        schedule.disconnect()
        #expect(schedule.nextDue == nil && schedule.takeDue(now: at(9), limit: 10) == [])
    }

    @Test("At most the given number of vehicles is due at a time")
    func many() throws {
        let vehicles = try (0..<10).map { try DeviceAddress(fleet: "acme", device: "v\($0)") }
        var schedule = ReceiptSchedule(times: ReceiptSchedule.Times(interval: 600))
        schedule.connect(storeID: "mine", readers: vehicles, now: start)
        schedule.subscribe(now: start)
        let first = schedule.takeDue(now: at(1), limit: 7)
        let rest = schedule.takeDue(now: at(1), limit: 7)
        #expect(first.count == 7 && rest.count == 3 && Set(first + rest) == Set(vehicles))
    }
}
