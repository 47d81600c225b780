import OdographCivilTime
import OdographWire

@testable import OdographStore

/// The promises of a store: the records that consumers and the broker have, and the contents after a power cut.
struct StoreHistory {
    /// A broken promise.
    struct Violation: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    /// A published record.
    struct Publication {
        var payload: [UInt8]
        /// The number of its commit.
        var commit: Int
    }

    /// The versions of a document, numbered from 1 in the order of their saves.
    struct Versions {
        var newest = 0
        /// The newest version whose save was confirmed.
        var saved = 0
        var removals: Set<Int> = []
    }

    /// Whether a confirmed commit survives a power cut.
    let isSynchronized: Bool
    /// All records that consumers may have, of all epochs.
    private(set) var published: [RecordKey: Publication] = [:]
    private var keys: [String: RecordKey] = [:]
    /// Records that must be in the store, unless the ledger explains their absence.
    private var outstanding: Set<RecordKey> = []
    private var acknowledged: Set<RecordKey> = []
    /// Records from before a reported damage. The state may be lost, and need not contain their commits.
    private var exempt: Set<RecordKey> = []
    /// The previous commit of each attempted commit.
    private var parents: [Int: Int] = [:]
    /// The newest confirmed commit; 0 for none.
    private(set) var lastCommit = 0
    private(set) var newestCommit = 0
    private var documents: [String: Versions] = [:]

    init(isSynchronized: Bool) { self.isSynchronized = isSynchronized }

    /// Returns the number of records that were published after the newest one of a database.
    func lostCount(newest: Int64, of epoch: Int64) -> Int {
        published.keys.count { $0.epoch == epoch && $0.seq > newest }
    }
}

// The changes of a store.
extension StoreHistory {
    /// A change of the expected contents.
    enum Change {
        case commit(Int, after: Int, records: [StoredRecord])
        case acknowledgement([RecordKey])
        case document(String, version: Int, isRemoval: Bool)
        /// All contents that were found when the store was opened.
        case inspection(StoreHistory)
    }

    /// Notes a change that may have reached the disk.
    mutating func begin(_ change: Change) {
        switch change {
        case .commit(let number, let parent, _):
            parents[number] = parent
            newestCommit = max(newestCommit, number)
        case .acknowledgement(let keys):
            acknowledged.formUnion(keys)
            outstanding.subtract(keys)
        case .document(let name, let version, let isRemoval):
            documents[name, default: Versions()].newest = version
            if isRemoval { documents[name, default: Versions()].removals.insert(version) }
        case .inspection: break
        }
    }

    /// Notes a change that the store has confirmed.
    mutating func finish(_ change: Change) throws(Violation) {
        switch change {
        case .commit(let number, _, let records):
            lastCommit = number
            for record in records {
                try publish(record)
                outstanding.insert(record.key)
            }
        case .acknowledgement: break
        case .document(let name, let version, _): documents[name, default: Versions()].saved = version
        case .inspection(let found): self = found
        }
    }

    /// Returns the newest version of a document that was ever passed to the store.
    func newestVersion(of name: String) -> Int { documents[name]?.newest ?? 0 }

    /// Delivers a record to the consumers: a known one or a new one.
    private mutating func publish(_ record: StoredRecord) throws(Violation) {
        if let known = published[record.key] {
            guard known.payload == record.payload else {
                throw Violation(
                    "number \(record.epoch)/\(record.seq) has two contents: «\(Self.text(known.payload))» was published, now «\(Self.text(record.payload))»"
                )
            }
            return
        }
        let fields = RecordText(record.payload)
        guard let fields, fields.key == record.key else {
            throw Violation("record \(record.key) has the content of another: «\(Self.text(record.payload))»")
        }
        if let other = keys[fields.uuid] {
            throw Violation("uuid \(fields.uuid) is record \(other), and now \(record.key)")
        }
        guard parents[fields.commit] != nil else {
            throw Violation("record \(record.key) was never committed: «\(Self.text(record.payload))»")
        }
        keys[fields.uuid] = record.key
        published[record.key] = Publication(payload: record.payload, commit: fields.commit)
    }

    private static func text(_ payload: [UInt8]) -> String { String(decoding: payload.prefix(80), as: UTF8.self) }
}

// The checks of a store that was opened again.
extension StoreHistory {
    /// Checks all contents of a store and makes them the expected contents.
    ///
    /// - Parameter isDamaged: Whether damage was reported. Contents may be missing then, but not wrong.
    mutating func inspect(_ store: AgentStore, isDamaged: Bool = false) async throws {
        let records = try await store.all()
        let found = Set(records.map(\.key))
        guard found.count == records.count else { throw Violation("a record is in the store twice") }
        for record in records { try publish(record) }
        if isDamaged { exempt = found }
        let state = try await inspectState(of: store, isDamaged: isDamaged)
        if !isDamaged {
            let ancestors = ancestors(of: state)
            if isSynchronized, !ancestors.contains(lastCommit) {
                throw Violation("the state is that of commit \(state), but \(lastCommit) was done")
            }
            let ledger = await store.ledger()
            try inspect(records: found, ancestors: ancestors, ledger: ledger)
            try inspectGaps(of: store.epochIdentity.epoch, ledger: ledger)
        }
        outstanding = found.subtracting(acknowledged)
        lastCommit = state
        try await inspectDocuments(of: store, isDamaged: isDamaged)
        let statistics = try await store.statistics()
        // The depth of a database that was large when it was opened is an upper bound: no number is missing.
        let own = records.filter { $0.epoch == statistics.epoch }.map(\.seq)
        let most = (own.min().map { Int(statistics.newestSeq - $0) + 1 } ?? 0) + records.count - own.count
        guard (records.count...max(most, records.count)).contains(statistics.depth) else {
            throw Violation("\(records.count) records, at most \(most), but the statistics say \(statistics.depth)")
        }
        _ = try await store.contents()
        _ = try await store.timelineEvents(from: start, to: second(100_000))
    }

    private func inspect(records found: Set<RecordKey>, ancestors: Set<Int>, ledger: [LedgerEntry]) throws(Violation) {
        for key in found where !exempt.contains(key) {
            guard let commit = published[key]?.commit, !ancestors.contains(commit) else { continue }
            throw Violation("record \(key) is of commit \(commit), which is not in the state")
        }
        for key in outstanding.subtracting(found) {
            guard let commit = published[key]?.commit, ancestors.contains(commit) else { continue }
            let isGivenUp = ledger.contains { entry in
                entry.reason.isGivenUp && entry.explains(key)
            }
            guard isGivenUp else { throw Violation("record \(key) of commit \(commit) is lost") }
        }
    }

    /// Checks that the ledger explains each number of an epoch that consumers do not get.
    private func inspectGaps(of epoch: Int64, ledger: [LedgerEntry]) throws(Violation) {
        var next: Int64 = 1
        for seq in published.keys.filter({ $0.epoch == epoch }).map(\.seq).sorted() {
            while next < seq {
                let key = RecordKey(epoch: epoch, seq: next)
                guard let entry = ledger.first(where: { $0.explains(key) }) else {
                    throw Violation("nothing explains why there is no record \(key): \(ledger)")
                }
                next = entry.toSeq + 1
            }
            next = max(next, seq + 1)
        }
        // A number that was never assigned is not published, if the entry is a single range that was not merged.
        for entry in ledger
        where entry.reason == .neverAssigned && Int64(entry.count) == entry.toSeq - entry.fromSeq + 1 {
            if let key = published.keys.first(where: { entry.explains($0) }) {
                throw Violation("record \(key) was published, and the ledger says that it was never assigned: \(entry)")
            }
        }
    }

    private func ancestors(of commit: Int) -> Set<Int> {
        var ancestors: Set<Int> = [commit]
        var commit = commit
        while let parent = parents[commit] {
            ancestors.insert(parent)
            commit = parent
        }
        return ancestors
    }

    /// - Returns: The commit whose state the store restores.
    private func inspectState(of store: AgentStore, isDamaged: Bool) async throws -> Int {
        let restored = try await store.contents()
        var state = 0
        if let snapshot = restored.snapshot {
            guard let number = StateText(snapshot), number.parent == number.commit else {
                throw Violation("the snapshot is none")
            }
            state = number.commit
        }
        for journal in restored.journals {
            guard let number = StateText(journal), number.parent == state else {
                throw Violation("the journal after commit \(state) is «\(Self.text(journal))»")
            }
            state = number.commit
        }
        guard state == 0 || parents[state] != nil else { throw Violation("commit \(state) was never tried") }
        return state
    }

    private mutating func inspectDocuments(of store: AgentStore, isDamaged: Bool) async throws {
        for (name, versions) in documents {
            let least = isSynchronized && !isDamaged ? versions.saved : 0
            if let bytes = try await store.document(name) {
                let words = Self.text(bytes).split(separator: " ")
                guard words.count == 3, words[0] == name, let version = Int(words[1]) else {
                    throw Violation("document \(name) is «\(Self.text(bytes))»")
                }
                guard version >= least, version <= versions.newest, !versions.removals.contains(version) else {
                    throw Violation("document \(name) has version \(version), not \(least) to \(versions.newest)")
                }
                documents[name]?.saved = version
            } else {
                let removal = versions.removals.filter { $0 >= least }.max()
                guard least == 0 || removal != nil else { throw Violation("document \(name) is lost") }
                documents[name]?.saved = removal ?? 0
            }
        }
    }
}

extension LedgerEntry {
    /// Whether the entry contains a record's number.
    fileprivate func explains(_ key: RecordKey) -> Bool {
        epoch == key.epoch && fromSeq <= key.seq && key.seq <= toSeq
    }
}
