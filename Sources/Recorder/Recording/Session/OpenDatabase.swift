/// A database that a recorder has opened, with the parts that its services have in it. Only the recorder's thread uses
/// it.
package struct OpenDatabase {
    /// The database that the recorder itself writes and reads.
    let records: RecordDatabase
    /// The observers, which evaluate each batch in its transaction.
    let observers: [any BatchObserver]
    /// The search for alerts that arise because no message comes.
    let watch: any RuleWatch
    /// The notifications that wait.
    let notifications: any NotificationQueue
    /// The records that the relay has not sent.
    let relay: RelayTable
}
