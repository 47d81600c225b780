/// The changes of the database by a batch, for the observers that evaluate it.
struct StoredChanges {
    /// A message with a status or a report, with the key of its vehicle.
    struct Report {
        let vehicle: Int64
        let entry: BatchEntry
    }

    /// The statuses and reports, in the order of their arrival.
    let reports: [Report]
    /// The records that were not stored before.
    let records: [NumberedMessage]
}
