/// The problems of an agent. The raw value is the `code` on the wire, by which programs identify them.
/// `config/schemas/definitions.schema.json` contains the same list.
package enum ProblemCode: String, CaseIterable, Sendable {
    /// There is no connection to the broker.
    case brokerUnreachable = "broker_unreachable"
    /// Several connections to the broker in a row ended soon after they began.
    case connectionUnstable = "connection_unstable"
    /// Another client uses the same client ID. The broker keeps only one of the two connections.
    case clientIDShared = "client_id_shared"
    /// Another agent is connected under the same name, with another client ID.
    case deviceShared = "device_shared"
    /// The broker does not accept or acknowledge a record. The record stays in the outbox and is sent again later.
    case publishRefused = "publish_refused"
    /// The broker refused a subscription.
    case subscriptionRefused = "subscription_refused"
    /// The source of positions ended with an error.
    case sourceFailed = "source_failed"
    /// The receiver provides no data.
    case sourceLost = "source_lost"
    /// Positions wait for their date.
    case timeUnknown = "time_unknown"
    /// The database cannot be written or read.
    case storeFailed = "store_failed"
    /// The database was damaged, and a new one was begun.
    case storeDamaged = "store_damaged"
    /// The database could be opened, but differs from the state that the last run left: it was deleted, or an earlier
    /// state was restored.
    case storeInconsistent = "store_inconsistent"
    /// The disk accepted no records for so long that the oldest waiting records were dropped.
    case recordsGivenUp = "records_given_up"
    /// The database cannot be used yet. Records are kept in memory until it can.
    case storeUnusable = "store_unusable"
    /// The database file was deleted or replaced while the agent ran.
    case storeFileLost = "store_file_lost"
    /// The state of the last run is lost, or a part of it.
    case stateLost = "state_lost"
    /// The saved configuration cannot be read. All time is private until the broker sends it.
    case configurationUnreadable = "configuration_unreadable"
    /// Another saved document cannot be read.
    case documentUnreadable = "document_unreadable"
    /// The configuration in force is not saved.
    case configurationNotSaved = "configuration_not_saved"
    /// The geofences in force are not saved.
    case geofencesNotSaved = "geofences_not_saved"
    /// The saved geofences cannot be read.
    case geofencesDamaged = "geofences_damaged"
}
