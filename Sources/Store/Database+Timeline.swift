import CivilTime

/// The timeline's events as they are kept for whoever asks: a copy beside the outbox, which loses what is delivered.
extension Database {
    /// How many events are given up at a time.
    private static let batch = 128

    /// Keeps the revisions among some records.
    mutating func saveTimelineRevisions(
        of records: [PendingRecord], as stored: [StoredRecord]
    ) throws(StoreError) {
        for (record, stored) in zip(records, stored) {
            guard let key = record.timeline else { continue }
            try timeline.save(key, payload: stored.payload, totals: &counters.timeline)
        }
        try trimTimeline()
    }

    /// Gives up the oldest final events while there are more than the history may have.
    mutating func trimTimeline() throws(StoreError) {
        while counters.timeline.count > options.timelineMaximumCount
            || counters.timeline.bytes > options.timelineMaximumBytes
        {
            guard try dropOldestTimeline() else { return }
        }
    }

    /// Gives up some of the oldest final events, to make room for what is not delivered yet. They were published, or
    /// are still in the outbox: nothing is lost that the ledger would have to tell.
    ///
    /// - Returns: Whether there were any.
    mutating func dropOldestTimeline() throws(StoreError) -> Bool {
        try timeline.deleteOldest(endedBefore: nil, limit: Self.batch, totals: &counters.timeline) > 0
    }

    /// What `AgentStore.expireTimeline` promises.
    mutating func expireTimeline(before instant: Timestamp) throws(StoreError) -> Int {
        var total = 0
        while true {
            let count = try transaction { vault throws(StoreError) in
                try vault.timeline.deleteOldest(
                    endedBefore: instant, limit: Self.batch, totals: &vault.counters.timeline)
            }
            total += count
            if count == 0 { return total }
        }
    }
}
