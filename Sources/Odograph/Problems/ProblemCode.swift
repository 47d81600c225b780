/// What can be wrong with an agent, each by its `code` on the wire, where programs tell problems by it.
/// `config/schemas/definitions.schema.json` lists the same.
package enum ProblemCode: String, CaseIterable, Sendable {
    /// There is no connection to the broker.
    case brokerUnreachable = "broker_unreachable"
    /// Several connections to the broker in a row ended soon after they began.
    case connectionUnstable = "connection_unstable"
    /// Another client uses this one's client id, and the broker keeps the connection of one of them only.
    case clientIDShared = "client_id_shared"
    /// Another agent is connected under this one's name, with another client id.
    case deviceShared = "device_shared"
    /// The broker does not take a record: it waits, and is tried again.
    case publishRefused = "publish_refused"
    /// The broker does not let the device listen to a topic.
    case subscriptionRefused = "subscription_refused"
    /// The source of positions has ended with an error.
    case sourceFailed = "source_failed"
    /// The receiver cannot be heard.
    case sourceLost = "source_lost"
    /// Positions wait for their date.
    case timeUnknown = "time_unknown"
    /// The disk takes no records, or does not give them back.
    case storeFailed = "store_failed"
    /// The database was damaged, and another was begun.
    case storeDamaged = "store_damaged"
    /// The database is not as the last run left it, although it could be opened: it is gone, or came back in an earlier state.
    case storeInconsistent = "store_inconsistent"
    /// The disk has taken no records for so long that the oldest of those that wait were given up.
    case recordsGivenUp = "records_given_up"
    /// The database cannot be used yet: records are kept in memory, until it can be.
    case storeUnusable = "store_unusable"
    /// The database's file was deleted or replaced while the agent ran.
    case storeFileLost = "store_file_lost"
    /// What the last run left is lost, or a part of it.
    case stateLost = "state_lost"
    /// The configuration that the last run left cannot be read: all of the time is private until the broker sends it.
    case configurationUnreadable = "configuration_unreadable"
    /// Another document that the last run left cannot be read.
    case documentUnreadable = "document_unreadable"
    /// The configuration in force is not on the disk.
    case configurationNotSaved = "configuration_not_saved"
    /// The geofences in force are not on the disk.
    case geofencesNotSaved = "geofences_not_saved"
    /// The geofences that the last run left cannot be read.
    case geofencesDamaged = "geofences_damaged"
}
