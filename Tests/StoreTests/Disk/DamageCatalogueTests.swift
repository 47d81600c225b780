import Glibc
import OdographHarness
import Testing

@testable import OdographStore

@Suite("Damage to the files is reported")
struct DamageCatalogueTests {
    /// The number of attempts with each kind of damage. The long run sets `ODOGRAPH_DAMAGES`.
    private static let tries = getenv("ODOGRAPH_DAMAGES").flatMap { Int(String(cString: $0)) } ?? 2

    @Test(
        "Each loss is reported, nothing unreported is lost, and the store continues",
        arguments: DamageCatalogue.rows, DamageCatalogue.Moment.allCases)
    func damage(row: DamageCatalogue.Row, moment: DamageCatalogue.Moment) async throws {
        for seed in 1...UInt64(Self.tries) {
            for synchronous in StoreSynchronous.allCases {
                do {
                    let reports = try await live(with: row, moment, synchronous, seed: seed)
                    let expected = row.reports(at: moment)
                    #expect(
                        !reports.isDisjoint(with: expected),
                        "seed \(seed), synchronous \(synchronous.rawValue): \(reports), not \(expected)")
                } catch {
                    Issue.record("seed \(seed), synchronous \(synchronous.rawValue): \(error)")
                }
            }
        }
    }

    /// Runs an agent that meets a kind of damage.
    ///
    /// - Returns: The reports.
    private func live(
        with row: DamageCatalogue.Row, _ moment: DamageCatalogue.Moment, _ synchronous: StoreSynchronous,
        seed: UInt64
    ) async throws -> Set<DamageCatalogue.Report> {
        var random = SplitMix64(seed: seed)
        let isLarge = Bool.random(using: &random)
        let options = StoreOptions(synchronous: synchronous).with {
            $0.walPreallocationBytes = 64 << 10
            $0.acknowledgementBatch = 4
            $0.busyTimeoutMilliseconds = 0
            if isLarge { $0.fullCheckMaximumBytes = 0 }
        }
        let history = StoreHistory(isSynchronized: synchronous == .full)
        var agent = SimulatedAgent(
            disk: try SimulatedDisk(), options: options, history: history, seed: seed, clock: 0)
        agent.trustsLedger = true
        try await agent.start()
        for _ in 0..<Int.random(in: 40..<90, using: &random) { try await agent.step() }
        // Makes sure that the log is not empty: the loss of an empty log is not detected.
        try await agent.commit()
        var isFailed = false
        if moment == .atStart { agent = try agent.next(seed: seed) }
        try row.action(agent.disk, &random)
        // The next runs find the rest, on a disk that works again.
        for life in 0..<3 {
            if life > 0 { agent = try agent.next(seed: seed + UInt64(life)) }
            for _ in 0..<20 {
                do {
                    try await agent.step()
                } catch is StoreError {
                    isFailed = true
                }
            }
            agent.disk.fail(nil)
            try await agent.scan()
            try await agent.inspect()
            isFailed = isFailed || !agent.errors.isEmpty
        }
        let known = agent.errors.count
        for _ in 0..<3 { try await agent.commit() }
        guard agent.errors.count - known <= 1 else { throw StoreHistory.Violation("it goes on with \(agent.errors)") }
        var reports: Set<DamageCatalogue.Report> = []
        if isFailed { reports.insert(.error) }
        if !agent.reports.all.isEmpty { reports.insert(.damage) }
        return reports.isEmpty ? [.nothing] : reports
    }
}
