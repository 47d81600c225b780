import OdographCivilTime
import OdographSQLite
import OdographWire

/// Delivery with receipts: which records the broker has acknowledged, and whether another machine uses their numbers.
///
/// The state is taken out, changed and put back: Swift 6.2.3 does not compile an assignment through an optional chain
/// of a type that cannot be copied.
extension Database {
    /// Notes records that the broker acknowledged. Saves them if there are many: after a kill, only those that were not
    /// saved are published again.
    mutating func notePublished(_ keys: [RecordKey]) throws(StoreError) {
        for key in keys { delivery?.published.insert(key) }
        if delivery?.published.unsavedCount ?? 0 >= options.acknowledgementBatch { try savePublished() }
    }

    /// Saves which of the kept records were published, if it has changed.
    mutating func savePublished() throws(StoreError) {
        guard var published = delivery?.published else { return }
        let present = counters.epochIdentity.epoch
        var joined: [Int64: NumberSet] = [:]
        for epoch in Set(published.epochs) {
            let next = try connection.prepare(
                epoch == present
                    ? "SELECT min(seq) FROM outbox WHERE seq > ?1 AND payload IS NOT NULL AND epoch = ?2"
                    : "SELECT min(seq) FROM salvaged WHERE seq > ?1 AND epoch = ?2")
            let numbers = try published.joined(in: epoch) { last throws(StoreError) in
                try next.firstInteger(.integer(last), .integer(epoch))
            }
            // An epoch whose records are all deleted is forgotten.
            if !numbers.isEmpty { joined[epoch] = numbers }
        }
        published.replace(by: joined)
        let document = published.document
        if try document != metadataTables.document(PublishedNumbers.documentName) ?? [] {
            try transaction { database throws(StoreError) in
                try database.metadataTables.saveDocument(PublishedNumbers.documentName, document)
            }
        }
        if var state = delivery {
            state.published = published
            delivery = state
        }
    }

    /// Notes the count of conflicts in a receipt.
    /// - Returns: Whether the count shows that another machine uses the present epoch.
    mutating func noteConflicts(_ receipt: RecorderReceipt) throws(StoreError) -> Bool {
        guard let former = delivery?.conflicts else { return false }
        var known = former
        let isNew = known.note(receipt.conflicts, of: receipt.recorder)
        guard known != former else { return false }
        let document = known.document
        try transaction { database throws(StoreError) in
            try database.metadataTables.saveDocument(KnownConflicts.documentName, document)
        }
        if var state = delivery {
            state.conflicts = known
            delivery = state
        }
        return isNew
    }

    /// Notes the epochs of which receipts state numbers that this device has not made.
    /// - Returns: Those that were not noted before.
    mutating func noteForeignEpochs(_ found: Set<Int64>) throws(StoreError) -> Set<Int64> {
        guard var known = delivery?.foreignEpochs else { return [] }
        let new = known.note(found)
        guard !new.isEmpty else { return [] }
        let document = known.document
        try transaction { database throws(StoreError) in
            try database.metadataTables.saveDocument(ForeignEpochs.documentName, document)
        }
        if var state = delivery {
            state.foreignEpochs = known
            delivery = state
        }
        return new
    }
}
