import OdographCivilTime
import OdographStore
import OdographWire
import Testing

@testable import Odograph

@Suite("Sending records again until receipts cover them")
struct ResendPlanTests {
    fileprivate static let epoch: Int64 = 7
    /// A receipt interval, milliseconds.
    private static let interval: Int64 = 600_000

    private static let now = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)

    private static func key(_ seq: Int64) -> RecordKey { RecordKey(epoch: epoch, seq: seq) }

    /// Returns a plan whose store sent a receipt; nil for none.
    private static func plan(_ receipt: Receipt.Epoch?, at now: Int64 = 0) async throws -> ResendPlan {
        var plan = ResendPlan(recorders: ["main"])
        if let receipt { try await apply(receipt, to: &plan, at: now) }
        return plan
    }

    private static func apply(
        _ receipt: Receipt.Epoch, revision: Int64 = 1, to plan: inout ResendPlan, at now: Int64
    ) async throws {
        let store = try await AgentStore.openInMemory(now: Self.now).store
        try await store.configureDelivery(
            DeliveryPolicy(recorders: ["main"], keepSeconds: 1e9, codec: .json(deviceID: "van-7")))
        _ = try await store.apply(
            RecorderReceipt(
                recorder: "main",
                receipt: Receipt(databaseID: "a", revision: revision, interval: 600, epochs: [receipt])),
            now: Self.now)
        let receipts = try #require(await store.receipts)
        plan.handleReceipts(receipts, intervalSeconds: 600, uptimeMilliseconds: now)
    }

    private static func isWanted(
        _ seq: Int64, _ plan: ResendPlan, at now: Int64, givenUp: [Int64] = [], isPublished: Bool = true
    ) -> Bool {
        let givenUp = NumberSet(givenUp.map { $0...$0 })
        let published = isPublished ? NumberSet(through: 1_000_000) : NumberSet()
        return !plan.unwanted(in: epoch, givenUp: givenUp, published: published, uptimeMilliseconds: now).contains(seq)
    }

    /// A record that the broker acknowledged at 0, and the first time at which it is sent again.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var receipt: Receipt.Epoch?
        var seq: Int64
        var isGivenUp = false
        /// In receipt intervals; nil for never.
        var due: Double?
        var testDescription: String { name }

        static let all = [
            Case(name: "no receipt", receipt: nil, seq: 3, due: 2.25),
            Case(name: "covered", receipt: .init(through: 5), seq: 3, due: nil),
            Case(name: "missing", receipt: .init(through: 5, missing: [3...3]), seq: 3, due: 0.5),
            Case(name: "above the last stated number", receipt: .init(through: 5), seq: 6, due: 2.25),
            Case(
                name: "not stated", receipt: .init(through: 5, missing: [1...5], isPartial: true), seq: 6, due: nil),
            Case(
                name: "a given-up record that is not stated",
                receipt: .init(through: 5, missing: [1...5], isPartial: true), seq: 6, isGivenUp: true, due: 2.25),
        ]
    }

    @Test(
        "An acknowledged record is sent again when a receipt names it, or after two receipt intervals",
        arguments: Case.all)
    func due(of testCase: Case) async throws {
        var plan = try await Self.plan(testCase.receipt)
        let givenUp = testCase.isGivenUp ? [testCase.seq] : []
        #expect(Self.isWanted(testCase.seq, plan, at: 0, givenUp: givenUp) == (testCase.name != "covered"))
        plan.handleAcknowledged([Self.key(testCase.seq)], uptimeMilliseconds: 0)
        for quarter in 0..<40 {
            let isDue = testCase.due.map { Double(quarter) / 4 >= $0 } ?? false
            let now = Int64(quarter) * Self.interval / 4
            #expect(Self.isWanted(testCase.seq, plan, at: now, givenUp: givenUp) == isDue, "after \(quarter) quarters")
        }
    }

    @Test(
        "A record of an earlier run is sent again if a receipt names it, or two intervals after a new one lacks it")
    func restored() async throws {
        func due(_ receipts: [Receipt.Epoch], seq: Int64) async throws -> Double? {
            var plan = ResendPlan(recorders: ["main"])
            plan.restore(published: [Self.epoch: NumberSet(through: 100)], uptimeMilliseconds: 0)
            for (index, receipt) in receipts.enumerated() {
                try await Self.apply(
                    receipt, revision: Int64(index + 1), to: &plan, at: Int64(index) * 3 * Self.interval)
            }
            // Records of this run do not change it.
            for number in Int64(0)..<40 {
                plan.handleAcknowledged([Self.key(200 + number)], uptimeMilliseconds: number * Self.interval / 4)
            }
            let quarter = (0..<100).first { Self.isWanted(seq, plan, at: Int64($0) * Self.interval / 4) }
            return quarter.map { Double($0) / 4 }
        }
        // The recorder is away. The broker can have kept a receipt of it that is older than the record.
        #expect(try await due([], seq: 3) == nil)
        #expect(try await due([.init(through: 5)], seq: 6) == nil)
        // It is there.
        #expect(try await due([.init(through: 4), .init(through: 5)], seq: 6) == 3 + 2.25)
        #expect(try await due([.init(through: 5)], seq: 3) == nil)
        #expect(try await due([.init(through: 5, missing: [3...3])], seq: 3) == 0.5)
        // It was not published.
        #expect(try await due([.init(through: 5)], seq: 101) == 0)
    }

    @Test("A covered record that was not published is sent: the receipt can be about another record")
    func unpublished() async throws {
        let plan = try await Self.plan(.init(through: 5))
        #expect(Self.isWanted(3, plan, at: 0, isPublished: false))
        #expect(!Self.isWanted(3, plan, at: 0, isPublished: true))
    }

    @Test("The delay of a record doubles each time, and is short again when receipts come after a silence")
    func backoff() async throws {
        let receipt = Receipt.Epoch(through: 5, missing: [1...3])
        var plan = try await Self.plan(receipt)
        func delay(of seq: Int64, after start: Int64) throws -> Int64 {
            let part = Self.interval / 4
            return try #require((0..<1000).first { Self.isWanted(seq, plan, at: start + $0 * part) })
        }
        var now: Int64 = 0
        var delays: [Int64] = []
        plan.handleAcknowledged([Self.key(1)], uptimeMilliseconds: now)
        for _ in 0..<9 {
            let parts = try delay(of: 1, after: now)
            delays.append(parts)
            // The times are multiples of all delays.
            now += max(parts, 256) * Self.interval / 4
            plan.handleAcknowledged([Self.key(1)], uptimeMilliseconds: now)
        }
        #expect(delays == [2, 4, 8, 16, 32, 64, 128, 256, 256])
        // Another record is not delayed by this one.
        plan.handleAcknowledged([Self.key(2)], uptimeMilliseconds: now)
        #expect(try delay(of: 2, after: now) == 2)
        try await Self.apply(receipt, to: &plan, at: now)
        #expect(try delay(of: 1, after: now) == 2)
    }

    @Test("A record of a database that went back is sent at once, and the memory is bounded")
    func memory() async throws {
        var plan = try await Self.plan(nil)
        for number in Int64(1)...6000 {
            plan.handleAcknowledged([Self.key(2 * number)], uptimeMilliseconds: number * 1000)
        }
        #expect(plan.rangeCount <= 4096 + 1)
        try await Self.apply(.init(through: 400_000, safe: 400_000), to: &plan, at: 200_000_000)
        #expect(!plan.isWaiting && plan.rangeCount == 0)
        try await Self.apply(.init(through: 10), to: &plan, at: 200_000_000)
        #expect(Self.isWanted(11, plan, at: 200_000_000))
    }
}

extension Receipt.Epoch {
    /// Creates a statement about the epoch of these tests.
    fileprivate init(
        through last: Int64, missing: [ClosedRange<Int64>] = [], safe: Int64 = 0, isPartial: Bool = false
    ) {
        self.init(epoch: ResendPlanTests.epoch, through: last, missing: missing, safe: safe, isPartial: isPartial)
    }
}
