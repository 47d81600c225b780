/// A database that a recorder has opened, with the parts that its services have in it. Only the recorder's thread uses
/// it.
package struct OpenDatabase {
    /// What the recorder itself writes and reads.
    let records: RecordDatabase
    /// What evaluates each batch in its transaction.
    let observers: [any BatchObserver]
    /// What the rules find because nothing comes.
    let watch: any RuleWatch
    /// The notifications that wait.
    let notifications: any NotificationQueue
    /// The records that the relay has not sent.
    let relay: any RelaySource
}
