import OdographCivilTime
import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographStore

let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)

func second(_ number: Int) -> Timestamp { start.advanced(byMilliseconds: Int64(number) * 1000) }

extension PendingRecord {
    /// Creates a record with a payload; the payload must not be empty.
    init(
        kind: RecordKind, timestamp: Timestamp, timeline: TimelineKey? = nil,
        encode: @escaping @Sendable (RecordIdentity) -> [UInt8]
    ) {
        self.init(kind: kind, timestamp: timestamp, timeline: timeline) { identity -> RecordPayload in
            let bytes = encode(identity)
            return RecordPayload(first: bytes[0], rest: bytes.dropFirst())
        }
    }
}

/// Returns a record whose payload begins with its identity. The other bytes are random, so compression cannot help.
func record(_ kind: RecordKind = .location, at time: Timestamp = start, bytes: Int = 350) -> PendingRecord {
    PendingRecord(kind: kind, timestamp: time) { identity in
        let name = Array("\(identity.epoch) \(identity.seq) \(identity.uuid) ".utf8)
        var random = SplitMix64(seed: UInt64(identity.seq))
        return name + (0..<max(0, bytes - name.count)).map { _ in .random(in: .min ... .max, using: &random) }
    }
}

func records(_ count: Int, _ kind: RecordKind = .location, bytes: Int = 350) -> [PendingRecord] {
    (0..<count).map { record(kind, at: second($0), bytes: bytes) }
}

/// Whether a record's payload begins with its own epoch and number.
func isIntact(_ stored: StoredRecord) -> Bool {
    String(decoding: stored.payload.prefix(40), as: UTF8.self).hasPrefix("\(stored.epoch) \(stored.seq) ")
}

extension StoreOptions {
    /// Returns the options with a change.
    func with(_ change: (inout StoreOptions) -> Void) -> StoreOptions {
        var options = self
        change(&options)
        return options
    }
}

extension AgentStore {
    var counters: StoreCounters { database.counters }

    /// Returns the size of the database without its write-ahead log.
    func fileBytes() throws(StoreError) -> Int { try database.pagesOfFile() * SQLiteConnection.pageBytes }

    func all() throws(StoreError) -> [StoredRecord] { try unacknowledged(limit: .max) }

    @discardableResult
    func fill(_ count: Int, aCommit size: Int = 50, bytes: Int = 350) throws(StoreError) -> [StoredRecord] {
        var stored: [StoredRecord] = []
        while stored.count < count {
            stored += try commit(
                records(min(size, count - stored.count), bytes: bytes), journal: [1, 2, 3], now: start)
        }
        return stored
    }
}

func open(_ path: String, _ options: StoreOptions = StoreOptions(), now: Timestamp = start) async throws -> AgentStore {
    try await AgentStore.open(at: path, options: options, now: now).store
}

/// Options with a log that has room for a few commits.
let shortLog = StoreOptions().with { $0.walPreallocationBytes = 64 << 10 }

/// Opens a store on a small disk, fills the disk, and commits until a commit fails.
/// - Returns: The store, the stored records, and the failure of the last commit.
func fillDisk(
    _ disk: SmallFileSystem
) async throws -> (store: AgentStore, stored: [StoredRecord], failure: StoreError?) {
    let store = try await open(disk.folder.database, shortLog)
    var stored = try await store.fill(100, aCommit: 10)
    disk.fill()
    var failure: StoreError?
    for step in 0..<400 where failure == nil {
        do {
            stored += try await store.commit(records(10), journal: [UInt8(step % 256)], now: start)
        } catch {
            failure = error
        }
    }
    return (store, stored, failure)
}
