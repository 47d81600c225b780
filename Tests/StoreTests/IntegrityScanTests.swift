import OdographCivilTime
import Glibc
import OdographHarness
import OdographWire
import Testing
import OdographThreads

@testable import OdographStore

@Suite("Damage found while a database is in use")
struct IntegrityScanTests {
    /// Options with which the database counts as too large for a check when it is opened.
    private static let large = StoreOptions().with {
        $0.walPreallocationBytes = 64 << 10
        $0.fullCheckMaximumBytes = 0
    }

    let folder: TemporaryFolder
    private let told = Told()

    /// The damage that the store has reported.
    private final class Told: Sendable {
        private let damages = Lock<[OpeningReport.Damage]>([])
        var all: [OpeningReport.Damage] { damages.withLock { $0 } }
        func note(_ damage: OpeningReport.Damage) { damages.withLock { $0.append(damage) } }
    }

    init() throws { folder = try TemporaryFolder() }

    /// Makes a database with a saved state whose records are in the file itself.
    private func makeDatabase(_ count: Int) async throws -> [StoredRecord] {
        let store = try await open(folder.database, Self.large)
        let stored = try await store.fill(count)
        // Opening reads only the journals that are newer than the snapshot.
        try await store.commit(journal: [], snapshot: [1, 2], now: start)
        return stored
    }

    private func openObserved() async throws -> AgentStore {
        let store = try await open(folder.database, Self.large, now: second(5))
        #expect(store.report.damage == nil)
        let told = told
        await store.observeDamage { damage, _ in told.note(damage) }
        return store
    }

    @Test("The integrity scan of a large database finds damage in the middle, and the other records are salvaged")
    func found() async throws {
        let stored = try await makeDatabase(2000)
        try folder.spoil(500..<502)
        let store = try await openObserved()
        while try await store.advanceIntegrityScan() {}
        let damage = try #require(told.all.first)
        let kept = try await store.all()
        #expect(damage.salvagedCount == kept.count && damage.isStateSalvaged)
        #expect(kept.count > 1980 && kept.allSatisfy(isIntact))
        #expect(Set(kept).isSubset(of: stored))
        #expect(store.epochIdentity.epoch > stored[0].epoch)
        let new = try await store.commit([record()], journal: [9], now: second(6))
        #expect(new.map(\.seq) == [1] && new.allSatisfy(isIntact))
        #expect(try await store.contents().snapshot == [1, 2])
        #expect(try await store.contents().journals.last == [9])
        #expect(told.all.count == 1)
        #expect(access(damage.asidePath, R_OK) == 0)
    }

    @Test("Reading a damaged page returns the salvaged records without the acknowledged ones")
    func reading() async throws {
        let stored = try await makeDatabase(2000)
        let store = try await openObserved()
        try await store.acknowledge(stored[..<100].map(\.key))
        try folder.spoil(800..<802)
        let kept = try await store.all()
        #expect(told.all.count == 1)
        #expect(kept.first == stored[100] && kept.count > 1880 && kept.allSatisfy(isIntact))
        try await store.flushAcknowledgements()
        #expect(try await store.statistics().depth == kept.count)
    }

    @Test("A commit to a damaged database goes into a new one, with the whole state if that was lost")
    func committing() async throws {
        let stored = try await makeDatabase(2000)
        let store = try await openObserved()
        try folder.spoil(2..<1000)
        var failure: StoreError?
        do throws(StoreError) {
            try await store.acknowledge(stored.map(\.key))
            try await store.commit([record()], journal: [9], now: second(6))
        } catch {
            failure = error
        }
        #expect(failure == .stateLost(path: folder.database))
        await #expect(throws: StoreError.stateLost(path: folder.database)) {
            try await store.commit([record()], journal: [9], now: second(6))
        }
        let new = try await store.commit([record()], journal: [], snapshot: [7], now: second(6))
        #expect(new.map(\.seq) == [1] && new[0].epoch > stored[0].epoch)
        #expect(try await store.commit([record()], journal: [8], now: second(6)).map(\.seq) == [2])
        let restored = try await store.contents()
        #expect(restored.snapshot == [7] && restored.journals == [[8]])
    }

    @Test("The depth of a large database is never too small, and is 0 after the delivery")
    func depth() async throws {
        var store = try await open(folder.database, Self.large)
        let stored = try await store.fill(1000)
        try await store.acknowledge(stored[300..<400].map(\.key))
        try await store.flushAcknowledgements()
        store = try await AgentStore.openInMemory(now: start).store
        store = try await openObserved()
        #expect(try await store.statistics().depth == 1000)
        #expect(try await store.advanceIntegrityScan())
        try await store.acknowledge(stored[..<10].map(\.key) + stored[900..<950].map(\.key))
        try await store.flushAcknowledgements()
        try await store.commit(records(5), journal: [], now: start)
        #expect(try await store.statistics().depth >= 845)
        while try await store.advanceIntegrityScan() {}
        #expect((845...945).contains(try await store.statistics().depth))
        try await store.acknowledge(store.all().map(\.key))
        try await store.flushAcknowledgements()
        #expect(try await store.statistics().depth == 0)
        #expect(told.all.isEmpty)
    }

    @Test("A completely delivered outbox is reported at once")
    func delivered() async throws {
        var store = try await open(folder.database, Self.large)
        let stored = try await store.fill(100)
        try await store.acknowledge(stored.map(\.key))
        try await store.flushAcknowledgements()
        store = try await AgentStore.openInMemory(now: start).store
        store = try await openObserved()
        #expect(try await store.statistics().depth == 0)
    }
}
