public import OdographCivilTime
import OdographThreads
import OdographWire

/// The statements to the broker about the numbers, and what others that it has show.
extension AgentStore {
    /// Returns the announcement that must be published before a record of the present epoch. It is on the disk.
    /// Its records may be published after ``permitAnnouncedNumbers()``.
    public func announceNumbers() throws(StoreError) -> NumberAnnouncement {
        try withDatabase { database throws(StoreError) in try database.announceNumbers() }
    }

    /// Notes that records with announced numbers are published from now on. So if somebody else turns out to use these
    /// numbers, too, the records cannot get others any more.
    public func permitAnnouncedNumbers() {
        let used = database.counters.usedThroughSeq
        database.sequenceAllocator?.permitAnnounced(used: used)
    }

    /// The newest announcement of the present epoch.
    public var announcement: NumberAnnouncement { database.announcement }

    /// Returns what an announcement that the broker has for this device shows.
    ///
    /// - Parameter isFirst: Whether it is the first one of this run.
    public func finding(
        about other: NumberAnnouncement, isFirst: Bool
    ) throws(StoreError) -> NumberAnnouncement.Finding {
        try withDatabase { database throws(StoreError) in try database.finding(about: other, isFirst: isFirst) }
    }

    /// Begins a new epoch because somebody else uses the numbers of the present one. Records that cannot have been
    /// published get numbers of the new epoch. The other numbers that this disk does not know are in the ledger.
    ///
    /// - Parameters:
    ///   - othersThrough: The last number of the present epoch that somebody else has used; 0 if it is not known.
    ///   - known: An epoch that the new one must be later than; 0 for none.
    ///   - payload: Returns the payload of a record with another identity; nil for one that cannot be read.
    /// - Returns: Whether an epoch has begun; false if the last one began too recently.
    public func renewEpoch(
        othersThrough: Int64, after known: Int64 = 0, now: Timestamp,
        payload: (StoredRecord, RecordIdentity) -> RecordPayload?
    ) throws(StoreError) -> Bool {
        opener.now = max(now, opener.now)
        let began = try withDatabase { database throws(StoreError) -> Bool in
            try database.renumberRecords(at: now, payload: payload)
            guard try database.permitRenewal(at: now) else { return false }
            let published = database.sequenceAllocator?.publishableThrough ?? database.counters.usedThroughSeq
            let reserved = database.sequenceAllocator?.reservation.reservedThrough ?? 0
            let through = max(othersThrough, reserved)
            try opener.beginEpoch(
                in: &database, sharing: published < through ? published + 1...through : nil, after: known,
                renumberingAfter: published)
            return true
        }
        guard began else { return false }
        let identities = database.counters.epochIdentity
        currentEpochIdentity.withLock { $0 = identities }
        // What fails of this is done before the next record is published, and with the next receipt.
        _ = try? renumberRecords(now: now, payload: payload)
        try? settleDelivery(now: now)
        return true
    }

    /// Gives other numbers to the records that a new epoch has left, after a kill or an error. Comes before any record
    /// is published.
    ///
    /// - Parameter payload: As for ``renewEpoch(othersThrough:after:now:payload:)``.
    /// - Returns: Whether there was something to do.
    public func renumberRecords(
        now: Timestamp, payload: (StoredRecord, RecordIdentity) -> RecordPayload?
    ) throws(StoreError) -> Bool {
        try withDatabase { database throws(StoreError) in
            guard database.counters.renumbering != nil else { return false }
            try database.renumberRecords(at: now, payload: payload)
            return true
        }
    }
}
