import OdographCivilTime
import OdographHarness
import OdographThreads
import OdographWire

@testable import OdographStore

/// A simulated agent: it commits, acknowledges, saves documents, stops and starts, all from one seed. It notes the
/// length of the disk's log before and after each action.
struct SimulatedAgent {
    /// An action, and the length of the log before and after it.
    private struct Event {
        var change: StoreHistory.Change
        var begin: Int
        var end: Int
        var isDone: Bool
    }

    /// A commit that failed and is tried again.
    private struct Attempt {
        var number: Int
        var records: [PendingRecord]
    }

    /// Reports from the store's thread.
    final class Reports: Sendable {
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        func append(contentsOf others: [String]) { lines.withLock { $0 += others } }
    }

    static let path = "/data/agent.db"

    let disk: SimulatedDisk
    let options: StoreOptions
    private(set) var store: AgentStore?
    private(set) var history: StoreHistory
    /// The errors of the store.
    private(set) var errors: [StoreError] = []
    /// The damage that the store has reported.
    let reports = Reports()
    /// Whether a possible loss in the ledger counts as reported damage. After a power cut it is normal.
    var trustsLedger = false
    private(set) var clock: Int
    private var events: [Event] = []
    private var random: SplitMix64
    private var attempt: Attempt?
    /// Whether the store has asked for the whole state.
    private var lacksState = false

    init(disk: SimulatedDisk, options: StoreOptions, history: StoreHistory, seed: UInt64, clock: Int) {
        self.disk = disk
        var options = options
        options.files = disk.files
        self.options = options
        self.history = history
        self.clock = clock
        random = SplitMix64(seed: seed)
    }

    private var now: Timestamp { second(clock) }

    /// Returns the agent's next run, after its process was killed.
    func next(seed: UInt64) throws -> SimulatedAgent { heir(on: try disk.afterKill(), seed: seed) }

    /// Returns the agent's next run, after a power cut.
    func next(losing loss: SimulatedDisk.Loss, seed: UInt64) throws -> SimulatedAgent {
        heir(on: try disk.afterCut(at: disk.logCount, losing: loss, seed: seed), seed: seed)
    }

    private func heir(on disk: SimulatedDisk, seed: UInt64) -> SimulatedAgent {
        var heir = SimulatedAgent(disk: disk, options: options, history: history, seed: seed, clock: clock)
        heir.trustsLedger = trustsLedger
        heir.reports.append(contentsOf: reports.all)
        return heir
    }

    /// Opens the store and checks its contents.
    ///
    /// - Throws: The error of the store, or ``StoreHistory/Violation``.
    mutating func start() async throws {
        clock += 1
        attempt = nil
        let (store, report) = try await AgentStore.open(at: Self.path, options: options, now: now)
        if let damage = report.damage { reports.append("\(damage)") }
        if let inconsistency = report.inconsistency { reports.append("\(inconsistency)") }
        if trustsLedger, await store.ledger().contains(where: { $0.reason == .possiblyLost }) {
            reports.append("records are possibly lost")
        }
        do {
            let reports = reports
            await store.observeDamage { damage, _ in reports.append("\(damage)") }
            // The integrity scan of a large database runs after it was opened.
            if trustsLedger { while try await store.advanceIntegrityScan() {} }
            let isDamaged = report.damage != nil || report.inconsistency != nil
            let lost = history.lostCount(newest: try await store.statistics().newestSeq, of: store.epochIdentity.epoch)
            guard lost <= report.lostRecords else {
                throw StoreHistory.Violation("\(lost) records are lost, at most \(report.lostRecords) were reported")
            }
            try await history.inspect(store, isDamaged: isDamaged || (trustsLedger && !reports.all.isEmpty))
        } catch {
            try? await store.close()
            throw error
        }
        self.store = store
        let position = disk.logCount
        events.append(Event(change: .inspection(history), begin: position, end: position, isDone: true))
    }

    /// Checks the present contents of the store.
    mutating func inspect() async throws {
        guard let store else { return try await start() }
        try await history.inspect(store, isDamaged: !reports.all.isEmpty)
    }

    /// Runs the store's integrity scan to its end.
    mutating func scan() async throws {
        guard let store else { return }
        try await perform { while try await store.advanceIntegrityScan() {} }
    }

    /// Commits something; opens the store first if it is closed.
    mutating func commit() async throws {
        if store == nil { try await start() }
        clock += 1
        if let store { try await commit(to: store) }
    }

    /// Closes the store, so that another agent can open it.
    mutating func stop() async {
        try? await store?.close()
        store = nil
    }

    /// Returns the history at a position of the disk's log.
    ///
    /// - Parameter beginning: The history at the beginning of the log.
    func history(at position: Int, from beginning: StoreHistory) throws -> StoreHistory {
        var history = beginning
        for event in events where event.begin < position || event.end <= position {
            history.begin(event.change)
            if event.isDone, event.end <= position { try history.finish(event.change) }
        }
        return history
    }

    /// Performs a random action; opens the store first if it is closed.
    mutating func step() async throws {
        clock += 1
        guard let store else { return try await start() }
        let now = now
        switch Int.random(in: 0..<100, using: &random) {
        case ..<62: try await commit(to: store)
        case ..<80: try await acknowledge(in: store)
        case ..<84: try await perform { try await store.flushAcknowledgements() }
        case ..<92: try await changeDocument(in: store)
        case ..<94:
            let limit = second(clock - 200)
            try await perform { try await store.expireRecords(before: limit, now: now) }
        case ..<97: try await scan()
        default:
            try await perform { try await store.close() }
            self.store = nil
            try await start()
        }
    }

    /// Commits up to four records, sometimes with a snapshot. The records of a failed commit come first.
    private mutating func commit(to store: AgentStore) async throws {
        let parent = history.lastCommit
        var attempt = self.attempt ?? Attempt(number: history.newestCommit + 1, records: [])
        let number = attempt.number
        for _ in 0..<Int.random(in: 0...4, using: &random) { attempt.records.append(record(of: number)) }
        let journal = StateText.journal(after: parent, commit: number, bytes: Int.random(in: 0...200, using: &random))
        let isSnapshot = Int.random(in: 0..<8, using: &random) == 0 || lacksState
        let size = Int.random(in: 0...3000, using: &random)
        let snapshot = isSnapshot ? StateText.snapshot(of: number, bytes: size) : nil
        let (records, now) = (attempt.records, now)
        let isDone = try await perform(.commit(number, after: parent, records: [])) {
            let stored = try await store.commit(records, journal: journal, snapshot: snapshot, now: now)
            return .commit(number, after: parent, records: stored)
        }
        self.attempt = isDone ? nil : attempt
        if case .stateLost = errors.last, !isDone { lacksState = true } else if isSnapshot { lacksState = false }
    }

    private mutating func record(of commit: Int) -> PendingRecord {
        let nonce = random.next()
        let bytes = Int.random(in: 0..<20, using: &random) == 0 ? 5000 : Int.random(in: 60...400, using: &random)
        let encode: @Sendable (RecordIdentity) -> [UInt8] = { identity in
            RecordText.payload(identity, commit: commit, nonce: nonce, bytes: bytes)
        }
        let time = now
        guard Int.random(in: 0..<6, using: &random) == 0 else {
            return PendingRecord(kind: .location, timestamp: time, encode: encode)
        }
        let event = Int.random(in: 0..<8, using: &random)
        let key = TimelineKey(
            eventID: "event-\(event)", start: second(event), end: event % 2 == 0 ? time : nil, lastUpdate: time,
            isFinal: event % 2 == 0)
        return PendingRecord(kind: .timeline, timestamp: time, timeline: key, encode: encode)
    }

    private mutating func acknowledge(in store: AgentStore) async throws {
        let limit = Int.random(in: 1...12, using: &random)
        let keys = ((try? await store.unacknowledged(limit: limit)) ?? []).map(\.key)
        // The broker has received them, whether or not the store can record it.
        try await perform(.acknowledgement(keys)) {
            try await store.acknowledge(keys)
            return nil
        }
    }

    private mutating func changeDocument(in store: AgentStore) async throws {
        let name = "document-\(Int.random(in: 0..<3, using: &random))"
        let version = history.newestVersion(of: name) + 1
        let isRemoval = Int.random(in: 0..<6, using: &random) == 0
        let padding = String(repeating: ".", count: Int.random(in: 1...3000, using: &random))
        try await perform(.document(name, version: version, isRemoval: isRemoval)) {
            if isRemoval {
                try await store.removeDocument(name)
            } else {
                try await store.saveDocument(name, Array("\(name) \(version) \(padding)".utf8))
            }
            return nil
        }
    }

    /// Performs an action that changes nothing that is checked.
    private mutating func perform(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as StoreError {
            errors.append(error)
        }
    }

    /// Performs an action and notes its change.
    ///
    /// - Parameters:
    ///   - change: The intended change.
    ///   - body: Returns the actual change; nil for the intended one.
    /// - Returns: Whether the store succeeded.
    @discardableResult
    private mutating func perform(
        _ change: StoreHistory.Change, _ body: () async throws -> StoreHistory.Change?
    ) async throws -> Bool {
        var event = Event(change: change, begin: disk.logCount, end: 0, isDone: true)
        history.begin(change)
        do {
            event.change = try await body() ?? change
            try history.finish(event.change)
        } catch let error as StoreError {
            errors.append(error)
            event.isDone = false
        }
        event.end = disk.logCount
        events.append(event)
        return event.isDone
    }
}
