import OdographCivilTime

/// The timeline events that are kept for queries: a copy, because the outbox deletes delivered records.
extension Database {
    /// The number of events that are dropped at a time.
    private static let batch = 128

    /// Saves the timeline revisions among some records.
    mutating func saveTimelineRevisions(of records: [NewRecord]) throws(StoreError) {
        for new in records {
            guard let key = new.timeline else { continue }
            try timeline.save(key, payload: new.record.payload, totals: &counters.timeline)
        }
        try trimTimeline()
    }

    /// Drops the oldest final events while there are more than the options permit.
    mutating func trimTimeline() throws(StoreError) {
        while counters.timeline.count > options.timelineMaximumCount
            || counters.timeline.bytes > options.timelineMaximumBytes
        {
            guard try dropOldestTimeline() else { return }
        }
    }

    /// Drops some of the oldest final events, to make room for undelivered records. The events were published or are
    /// still in the outbox, so the ledger needs no entry.
    ///
    /// - Returns: Whether any were dropped.
    mutating func dropOldestTimeline() throws(StoreError) -> Bool {
        try timeline.deleteOldest(endedBefore: nil, limit: Self.batch, totals: &counters.timeline) > 0
    }

    /// Implements `AgentStore.expireTimeline`.
    mutating func expireTimeline(before instant: Timestamp) throws(StoreError) -> Int {
        var total = 0
        while true {
            let count = try transaction { database throws(StoreError) in
                try database.timeline.deleteOldest(
                    endedBefore: instant, limit: Self.batch, totals: &database.counters.timeline)
            }
            total += count
            if count == 0 { return total }
        }
    }
}
