import OdographCivilTime
import OdographHarness
import OdographWire
import Testing

@testable import OdographRecorder

/// A recorder's schedule, a broker and a vehicle, with random interruptions of each. Nothing waits: time is a number.
private struct ReceiptSimulation {
    private typealias Message = (receipt: Receipt?, isRetained: Bool)

    private let vehicle: DeviceAddress
    private let start = ContinuousClock.now
    private var random: SplitMix64
    private var seconds = 0.0
    private var schedule = ReceiptSchedule(times: ReceiptSchedule.Times(interval: 600))
    /// The last covered number in the database, and the revision that it knows.
    private var (through, databaseRevision): (Int64, Int64) = (0, 0)
    private var backup: (through: Int64, revision: Int64) = (0, 0)
    private var databaseID = "a"
    /// The retained receipt of the broker, an earlier one, and what is on its way to the recorder.
    private var retained: Receipt?
    private var earlier: Receipt?
    private var queue: [Message] = []
    /// The receipt in force in the vehicle.
    private var inForce: Receipt?
    private(set) var published = 0

    init(seed: UInt64) throws {
        vehicle = try DeviceAddress(fleet: "acme", device: "van-7")
        random = SplitMix64(seed: seed)
        connect()
        report()
    }

    private var now: ContinuousClock.Instant { start + .seconds(seconds) }

    private func statement(revision: Int64 = 0) -> Receipt {
        Receipt(
            databaseID: databaseID, revision: revision, interval: 600,
            epochs: through == 0 ? [] : [Receipt.Epoch(epoch: 1, through: through, safe: through)])
    }

    private mutating func connect() {
        schedule.disconnect()
        // The rest of the persistent session comes first.
        schedule.connect(databaseID: databaseID, readers: databaseRevision > 0 ? [vehicle] : [], now: now)
        deliver(queue.count)
        schedule.subscribe(now: now)
        if let retained { queue.append((retained, true)) }
        if Bool.random(using: &random) { deliver(1) }
    }

    private mutating func report() {
        schedule.store(
            reportOf: vehicle, readsReceipts: true,
            receipt: inForce.map {
                ReportedReceipt(
                    recorder: "main", databaseID: $0.databaseID, revision: $0.revision,
                    receivedAt: Timestamp(millisecondsSinceEpoch: 0))
            }, now: now, milliseconds: Int64(seconds * 1000))
    }

    private mutating func deliver(_ count: Int) {
        for message in queue.prefix(count) {
            if let receipt = message.receipt {
                let other = schedule.receive(receipt, of: vehicle, isRetained: message.isRetained, now: now)
                #expect(other == nil, "there is no other recorder")
            } else {
                schedule.receiveDeletion(of: vehicle, now: now)
            }
        }
        queue.removeFirst(min(count, queue.count))
    }

    /// Lets time pass, and publishes what is due.
    private mutating func pass(_ duration: Double) {
        seconds += duration
        guard schedule.takeDue(now: now, limit: 1) == [vehicle],
            let receipt = schedule.receiptToPublish(
                statement(), for: vehicle, databaseRevision: databaseRevision, milliseconds: Int64(seconds * 1000))
        else { return }
        published += 1
        (earlier, retained) = (retained, receipt)
        queue.append((receipt, false))
        if Bool.random(using: &random) { databaseRevision = receipt.revision }
    }

    /// The vehicle gets the retained receipt.
    private mutating func receive() {
        if let retained, retained.revision > inForce?.revision ?? 0 { inForce = retained }
    }

    mutating func step() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2:
            through += Int64.random(in: 1...5, using: &random)
            schedule.store(recordOf: vehicle, isBacklog: Bool.random(using: &random), now: now)
        case 3, 4: pass(Double.random(in: 0...700, using: &random))
        case 5: deliver(1)
        case 6: receive()
        case 7: report()
        case 8: backup = (through, databaseRevision)
        case 9:
            // The broker returns with an earlier state, and all connect again.
            retained = Bool.random(using: &random) ? nil : earlier
            queue = []
            connect()
            receive()
            report()
        case 10:
            // A restart of the recorder, also with another database.
            schedule = ReceiptSchedule(times: ReceiptSchedule.Times(interval: 600))
            switch Int.random(in: 0..<3, using: &random) {
            case 0: (through, databaseRevision) = backup
            case 1:
                (through, databaseRevision, backup) = (0, 0, (0, 0))
                databaseID += "b"
            default: break
            }
            connect()
            // The report is retained.
            report()
        default:
            retained = nil
            queue.append((nil, false))
        }
    }

    /// Ends all interruptions. The vehicle then has in force what the database says.
    mutating func end() {
        report()
        for _ in 0..<6 {
            deliver(queue.count)
            pass(700)
            receive()
        }
        #expect(schedule.nextDue == nil)
        #expect(inForce == statement(revision: inForce?.revision ?? 0))
        #expect(retained == inForce)
    }
}

@Suite("Receipts under random interruptions")
struct ReceiptSimulationTests {
    @Test("At the end the vehicle has the receipt of the present database, whatever was lost before", arguments: 0..<20)
    func interruptions(seed: UInt64) throws {
        for round in 0..<200 {
            var simulation = try ReceiptSimulation(seed: seed << 32 + UInt64(round))
            for _ in 0..<60 { simulation.step() }
            simulation.end()
            #expect(simulation.published > 0)
        }
    }
}
