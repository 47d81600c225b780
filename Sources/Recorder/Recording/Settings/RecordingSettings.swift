import OdographSettings

/// The settings of what a recorder stores: from which topics, into which database, and within which limits.
package struct RecordingSettings: Hashable, Sendable {
    /// The broker. The client id is nil if the file has none, see ``RecorderClientIdentity``.
    package var broker: BrokerConfiguration
    /// The first part of every topic.
    package var root: String
    /// The fleets whose vehicles are recorded.
    package var fleets: [String]
    /// The database.
    package var database: DatabaseLocation
    /// When a batch of messages is written.
    package var batch: BatchLimits
    /// The bytes that one vehicle may add.
    package var limits: VehicleLimits
    /// The receipts.
    package var receipts: ReceiptSettings

    /// The topic filters of the subscriptions. They do not overlap, because a broker can send a message once for each
    /// filter that matches.
    package var filters: [String] {
        fleets.flatMap { fleet in
            ["location/#", "geofence/#", "timeline/#", "given_up", "batch", "status", "reported"]
                .map { "\(root)/\(fleet)/+/\($0)" } + [receiptFilter(of: fleet)]
        }
    }

    /// Returns the topic filter of the own receipts in a fleet.
    func receiptFilter(of fleet: String) -> String { "\(root)/\(fleet)/+/receipt/\(receipts.recorder)" }
}
