import OdographCivilTime
import OdographHarness
import OdographWire

@testable import OdographStore

/// A simulated agent with delivery by receipts and its recorders: commits, lossy deliveries, receipts in any order,
/// backups, rollbacks, kills and power cuts, all from one seed. After each step it checks that no number is forgotten.
struct DeliverySimulation {
    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    private static let path = "/data/agent.db"

    private var disk: SimulatedDisk
    private let options: StoreOptions
    private let policy: DeliveryPolicy
    private var store: AgentStore
    private var recorders: [ModelRecorder]
    /// A receipt of each recorder that arrives late.
    private var lateReceipts: [RecorderReceipt] = []
    /// The content of each number that was ever published.
    private var contents: [RecordKey: [UInt8]] = [:]
    private var clock = 0
    private var random: SplitMix64
    /// The actions so far, for a message.
    private(set) var trail: [String] = []
    private(set) var deletedCount = 0

    init(synchronous: StoreSynchronous, seed: UInt64) async throws {
        random = SplitMix64(seed: seed)
        disk = try SimulatedDisk()
        let isSmall = Int.random(in: 0..<3, using: &random) == 0
        options = StoreOptions(synchronous: synchronous, maximumBytes: isSmall ? 256 << 10 : 64 << 20).with {
            $0.walPreallocationBytes = 64 << 10
        }
        let names = Bool.random(using: &random) ? ["main"] : ["a", "b"]
        let ranges = [1, 3, 64].randomElement(using: &random) ?? 64
        recorders = names.map { ModelRecorder(name: $0, maximumRanges: ranges) }
        policy = DeliveryPolicy(
            recorders: names, keepSeconds: Bool.random(using: &random) ? 0 : 20, codec: .text)
        store = try await Self.open(disk, options, policy, at: second(0))
    }

    private static func open(
        _ disk: SimulatedDisk, _ options: StoreOptions, _ policy: DeliveryPolicy, at now: Timestamp
    ) async throws -> AgentStore {
        var options = options
        options.files = disk.files
        let (store, report) = try await AgentStore.open(at: path, options: options, now: now)
        guard report.damage == nil else { throw Violation(description: "damage: \(report)") }
        try await store.configureDelivery(policy)
        return store
    }

    /// Performs a random action, and checks the store.
    mutating func step() async throws {
        clock += 1
        let index = Int.random(in: recorders.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<35: try await commit()
        case ..<55: try await deliver(to: index)
        case ..<75: try await publishReceipt(of: index)
        case ..<80: try await receiveLate()
        case ..<86: makeBackup(index)
        case ..<90: rollBack(index)
        case ..<93: try await expire()
        case ..<95:
            trail.append("epoch")
            try await store.beginEpoch(now: second(clock))
        default: try await restart()
        }
        try await check()
    }

    private mutating func makeBackup(_ index: Int) {
        trail.append("backup \(index)")
        recorders[index].makeBackup()
    }

    private mutating func rollBack(_ index: Int) {
        trail.append("rollback \(index)")
        recorders[index].rollBack()
    }

    private mutating func commit() async throws {
        let count = Int.random(in: 1...6, using: &random)
        let bytes = options.maximumBytes < 1 << 20 ? 8000 : 100
        let kinds = (0..<count).map { _ in
            [RecordKind.location, .location, .geofence, .timeline].randomElement(using: &random) ?? .location
        }
        let now = second(clock)
        let dropped: [RecordKind: Int] = Int.random(in: 0..<20, using: &random) == 0 ? [.location: 2] : [:]
        let stored = try await store.commit(
            kinds.map { record($0, at: now, bytes: bytes) }, dropped: dropped, journal: [1], now: now)
        trail.append("commit \(stored.map(\.seq))")
        for record in stored { try note(record) }
    }

    /// Publishes some of the kept records to a recorder.
    private mutating func deliver(to index: Int) async throws {
        let share = Double.random(in: 0...1, using: &random)
        let lost = Double.random(in: 0...0.3, using: &random)
        var told: [Int64] = []
        for record in try await store.all() where Double.random(in: 0...1, using: &random) < share {
            try note(record)
            // The acknowledgement of the broker can be lost, and the broker can lose what it acknowledged.
            if Bool.random(using: &random) { try await store.notePublished([record.key]) }
            guard Double.random(in: 0...1, using: &random) >= lost else { continue }
            told.append(record.seq)
            guard recorders[index].store(record) else { throw Violation(description: "conflict at \(record.key)") }
        }
        trail.append("deliver to \(index): \(told)")
    }

    private mutating func note(_ record: StoredRecord) throws {
        guard contents[record.key] ?? record.payload == record.payload else {
            throw Violation(description: "two contents of \(record.key)")
        }
        contents[record.key] = record.payload
    }

    private mutating func publishReceipt(of index: Int) async throws {
        let receipt = recorders[index].receipt()
        if Int.random(in: 0..<4, using: &random) == 0 {
            trail.append("late receipt \(receipt.recorder) \(receipt.receipt.revision)")
            lateReceipts.append(receipt)
        } else {
            try await apply(receipt)
        }
    }

    private mutating func receiveLate() async throws {
        guard !lateReceipts.isEmpty else { return }
        try await apply(lateReceipts.removeFirst())
    }

    private mutating func apply(_ receipt: RecorderReceipt) async throws {
        let before = try await store.all().count
        let findings = try await store.apply(receipt, now: second(clock))
        guard findings.foreignNumber == nil else { throw Violation(description: "a foreign number: \(receipt)") }
        deletedCount += max(before - (try await store.all().count), 0)
        trail.append(
            "receipt \(receipt.recorder) \(receipt.receipt.revision) \(receipt.receipt.epochs): \(findings.isAccepted)")
    }

    private mutating func expire() async throws {
        trail.append("expire")
        try await store.expireRecords(before: second(clock - 60), now: second(clock))
    }

    /// Ends the agent by a kill, a power cut or a proper end, and starts it again.
    private mutating func restart() async throws {
        let choice = Int.random(in: 0..<3, using: &random)
        trail.append(["kill", "power cut", "stop"][choice])
        switch choice {
        case 0: disk = try disk.afterKill()
        case 1:
            let loss = SimulatedDisk.Loss.allCases.randomElement(using: &random) ?? .nothing
            disk = try disk.afterCut(at: disk.logCount, losing: loss, seed: random.next())
        default: try await store.close()
        }
        store = try await Self.open(disk, options, policy, at: second(clock))
    }

    /// Checks that each published number is kept, named by a kept record, in the gap before the next record, or covered
    /// by each recorder.
    private func check() async throws {
        let records = try await store.all()
        let kept = Set(records.map(\.key))
        guard kept.count == records.count else { throw Violation(description: "a record is in the store twice") }
        var named: [Int64: NumberSet] = [:]
        for record in records where record.kind == .givenUp {
            for range in GivenUpCodec.text.decode(record.payload) {
                named[range.epoch, default: NumberSet()].insert(range.numbers)
                guard !kept.contains(where: { $0.epoch == range.epoch && range.numbers.contains($0.seq) }) else {
                    throw Violation(description: "\(record.key) names a kept record: \(range)")
                }
            }
        }
        let gap = await store.counters.pendingGap
        for key in contents.keys where !kept.contains(key) {
            let isInGap = gap.map { $0.epoch == key.epoch && ($0.fromSeq...$0.toSeq).contains(key.seq) } ?? false
            guard named[key.epoch]?.contains(key.seq) == true || isInGap || recorders.allSatisfy({ $0.covers(key) })
            else { throw Violation(description: "\(key) is forgotten") }
        }
    }

    /// Delivers without faults until nothing changes, and checks that everything is then covered, and deleted except
    /// for the newest record.
    mutating func settle() async throws {
        lateReceipts = []
        // A gap is named with the next record.
        try await commit()
        for _ in 0..<12 {
            clock += 100
            for index in recorders.indices {
                for record in try await store.all() {
                    try note(record)
                    try await store.notePublished([record.key])
                    _ = recorders[index].store(record)
                }
                recorders[index].makeBackup()
                try await apply(recorders[index].receipt())
            }
            try await check()
        }
        let rest = try await store.all()
        guard rest.count <= 1 else { throw Violation(description: "the store keeps \(rest.map(\.key))") }
        for key in contents.keys {
            guard recorders.allSatisfy({ $0.covers(key) }) else {
                throw Violation(description: "\(key) is not settled")
            }
        }
    }
}
