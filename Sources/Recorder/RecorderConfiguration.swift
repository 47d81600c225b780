import Odograph

/// The configuration of a recorder.
package struct RecorderConfiguration: Hashable, Sendable {
    /// The broker. The client id is nil if the file has none, see ``clientID``.
    package var broker: BrokerConfiguration
    /// The first part of every topic.
    package var root: String
    /// The fleets whose vehicles are recorded.
    package var fleets: [String]
    /// The path of the database.
    package var databasePath: String
    /// When a batch of messages is written.
    package var batch: BatchLimits
    /// The age above which records are removed, days; nil to keep all.
    package var retentionDays: Int?

    /// The topic filters of the subscriptions. They do not overlap, because a broker can send a message once for each
    /// filter that matches.
    package var filters: [String] {
        fleets.flatMap { fleet in
            ["location/#", "geofence/#", "timeline/#", "status", "reported"].map { "\(root)/\(fleet)/+/\($0)" }
        }
    }
}
