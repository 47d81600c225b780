import OdographCivilTime
import OdographWire

/// Delivery with receipts: records stay until each configured recorder has them safely.
extension AgentStore {
    /// Begins delivery with receipts, or with nil delivery to the broker. Receipts of the same recorders stay in force.
    package func configureDelivery(_ policy: DeliveryPolicy?) throws(StoreError) {
        deliveryPolicy = policy
        try withDatabase { database throws(StoreError) in
            try database.configureDelivery(policy, receipts: database.delivery?.receipts)
        }
    }

    /// Takes a receipt: deletes what is safe, and names what is missing and not kept.
    package func apply(_ receipt: RecorderReceipt, now: Timestamp) throws(StoreError) -> ReceiptFindings {
        opener.now = max(now, opener.now)
        // A file that cannot be used yet has the list of the own epochs.
        let knowsEpochs = !isWaitingForFile
        return try withDatabase { database throws(StoreError) in
            try database.apply(receipt, at: now, knowsEpochs: knowsEpochs)
        }
    }

    /// Deletes what the receipts in force permit by now.
    package func settleDelivery(now: Timestamp) throws(StoreError) {
        opener.now = max(now, opener.now)
        try withDatabase { database throws(StoreError) in try database.settleDelivery(at: now) }
    }

    /// Notes records that the broker acknowledged, with delivery by receipts. Only these can be deleted by a receipt.
    package func notePublished(_ keys: [RecordKey]) throws(StoreError) {
        try withDatabase { database throws(StoreError) in try database.notePublished(keys) }
    }

    /// Returns the numbers of the records of an epoch that the broker has acknowledged, with delivery by receipts.
    package func published(in epoch: Int64) -> NumberSet { database.delivery?.published[epoch] ?? NumberSet() }

    /// The same for all epochs.
    package var publishedNumbers: [Int64: NumberSet] {
        guard let published = database.delivery?.published else { return [:] }
        return Dictionary(uniqueKeysWithValues: published.epochs.map { ($0, published[$0]) })
    }

    /// The receipts in force; nil with delivery to the broker.
    package var receipts: ReceiptsInForce? { database.delivery?.receipts }

    /// The number of given-up records that were made since delivery with receipts began. The caller of ``commit`` does
    /// not get these records.
    package var givenUpRecordCount: Int { database.delivery?.insertedCount ?? 0 }

    /// The keys of the kept given-up records; none with delivery to the broker.
    package var givenUpKeys: [RecordKey] { database.delivery.map { Array($0.named.keys) } ?? [] }

    /// Whether there are records of earlier epochs.
    package var hasRecordsOfEarlierEpochs: Bool { database.counters.salvagedCount > 0 }
}
