import OdographCivilTime
import OdographWire

extension Database {
    /// Implements `AgentStore.unacknowledged`.
    borrowing func unacknowledged(
        after key: RecordKey?, limit: Int, maximumBytes: Int, withLocations: Bool
    ) throws(StoreError) -> [StoredRecord] {
        guard limit > 0 else { return [] }
        var records: [StoredRecord] = []
        records.reserveCapacity(min(limit, 1024))
        var total = 0
        var isFull = false
        func take(_ record: StoredRecord, unless isAcknowledged: Bool) -> Bool {
            if isAcknowledged || (!withLocations && record.kind == .location) { return true }
            total += record.payload.count
            isFull = records.count >= limit || (!records.isEmpty && total > maximumBytes)
            if !isFull { records.append(record) }
            return !isFull
        }
        let epoch = counters.epochIdentity.epoch
        let start = key ?? RecordKey(epoch: .min, seq: .min)
        // Salvaged records come first, whatever their epoch: with a wrong clock, they may have a later one.
        if counters.salvagedCount > 0, start.epoch != epoch {
            let acknowledged = pendingAcknowledgements.salvaged
            try salvaged.forEach(after: start) { record throws(StoreError) in
                take(record, unless: acknowledged.contains(record.key))
            }
        }
        guard !isFull else { return records }
        let acknowledged = pendingAcknowledgements.seqs
        try outbox.forEach(after: start.epoch == epoch ? start.seq : 0, withLocations: withLocations) {
            record throws(StoreError) in
            take(record, unless: acknowledged.contains(record.seq))
        }
        return records
    }

    /// Implements `AgentStore.locations`.
    borrowing func locations(from: Timestamp, to: Timestamp, limit: Int) throws(StoreError) -> [[UInt8]] {
        guard limit > 0 else { return [] }
        var payloads = try outbox.locations(from: from, to: to, limit: limit)
        if payloads.count < limit, counters.salvagedCount > 0 {
            payloads += try salvaged.locations(from: from, to: to, limit: limit - payloads.count)
        }
        return payloads.reversed()
    }

    /// Implements `AgentStore.acknowledge`.
    mutating func acknowledge(_ keys: [RecordKey]) throws(StoreError) {
        for key in keys where key.epoch != counters.epochIdentity.epoch || key.seq != counters.tombstoneSeq {
            pendingAcknowledgements.insert(key, currentEpoch: counters.epochIdentity.epoch)
        }
        if pendingAcknowledgements.count >= options.acknowledgementBatch { try flushAcknowledgements() }
    }
}
