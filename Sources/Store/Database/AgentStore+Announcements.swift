import OdographCivilTime
import OdographThreads
import OdographWire

/// The statements to the broker about the numbers, and what others that it has show.
extension AgentStore {
    /// Returns the announcement that must be published before a record of the present epoch. It is on the disk.
    /// Its records may be published after ``permitAnnouncedNumbers()``.
    package func announceNumbers() throws(StoreError) -> NumberAnnouncement {
        try withDatabase { database throws(StoreError) in try database.announceNumbers() }
    }

    /// Notes that records with announced numbers are published from now on. So if somebody else turns out to use these
    /// numbers, too, the records cannot get others any more.
    package func permitAnnouncedNumbers() {
        let used = database.counters.usedThroughSeq
        database.sequenceAllocator?.permitAnnounced(used: used)
    }

    /// The newest announcement of the present epoch.
    package var announcement: NumberAnnouncement { database.announcement }

    /// Returns what an announcement that the broker has for this device shows.
    ///
    /// - Parameter isFirst: Whether it is the first one of this run.
    package func finding(
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
    package func renewEpoch(
        othersThrough: Int64, after known: Int64 = 0, now: Timestamp,
        payload: (StoredRecord, RecordIdentity) -> RecordPayload?
    ) throws(StoreError) -> Bool {
        opener.now = max(now, opener.now)
        // An earlier one first.
        _ = try renumberRecords(now: now, payload: payload)
        let isPermitted = try withDatabase { database throws(StoreError) -> Bool in
            let published = database.sequenceAllocator?.publishableThrough ?? database.counters.usedThroughSeq
            let reserved = database.sequenceAllocator?.reservation.reservedThrough ?? 0
            let renumbering = Renumbering(
                epoch: database.counters.epochIdentity.epoch, published: published,
                through: max(othersThrough, reserved), known: known)
            return try database.permit(renumbering, at: now)
        }
        return isPermitted ? try renumberRecords(now: now, payload: payload) : false
    }

    /// Does what is left of ``renewEpoch(othersThrough:after:now:payload:)`` after a kill or an error. Comes before any
    /// record is published.
    ///
    /// - Returns: Whether there was something to do.
    package func renumberRecords(
        now: Timestamp, payload: (StoredRecord, RecordIdentity) -> RecordPayload?
    ) throws(StoreError) -> Bool {
        let isLeft = try withDatabase { database throws(StoreError) -> Bool in
            guard let renumbering = database.counters.renumbering else { return false }
            if renumbering.epoch == database.counters.epochIdentity.epoch {
                try opener.beginEpoch(in: &database, sharing: renumbering.shared, after: renumbering.known)
            }
            return true
        }
        guard isLeft else { return false }
        let identities = database.counters.epochIdentity
        currentEpochIdentity.withLock { $0 = identities }
        try withDatabase { database throws(StoreError) in try database.renumberRecords(at: now, payload: payload) }
        // What fails of this is done with the next receipt.
        try? settleDelivery(now: now)
        return true
    }
}
