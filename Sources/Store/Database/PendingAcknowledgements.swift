import OdographWire

/// The acknowledged records that are still on the disk.
struct PendingAcknowledgements {
    private(set) var seqs: Set<Int64> = []
    private(set) var salvaged: Set<RecordKey> = []

    var count: Int { seqs.count + salvaged.count }
    var isEmpty: Bool { seqs.isEmpty && salvaged.isEmpty }

    /// Returns the keys of all records.
    func keys(currentEpoch: Int64) -> [RecordKey] {
        Array(salvaged) + seqs.map { RecordKey(epoch: currentEpoch, seq: $0) }
    }

    mutating func insert(_ key: RecordKey, currentEpoch: Int64) {
        if key.epoch == currentEpoch { seqs.insert(key.seq) } else { salvaged.insert(key) }
    }

    mutating func removeAll() {
        seqs.removeAll(keepingCapacity: true)
        salvaged.removeAll(keepingCapacity: true)
    }
}
