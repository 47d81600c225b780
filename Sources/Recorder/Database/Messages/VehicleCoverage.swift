import OdographWire

/// The facts about a vehicle that its receipt states.
package struct VehicleCoverage: Hashable, Sendable {
    /// The epochs, ascending. A receipt states the greatest ``maximumEpochs``: the present one is among them.
    package var epochs: [EpochCoverage] = []
    /// The count of records with the number of another record.
    package var conflicts = 0
    /// The greatest revision of a receipt that the database knows; 0 if there is none.
    package var revision: Int64 = 0

    /// The greatest number of epochs in a receipt. It limits the receipt's size.
    package static let maximumEpochs = 64

    /// Returns the receipt.
    /// - Parameters:
    ///   - databaseID: The random name of the database.
    ///   - revision: The number of the receipt.
    ///   - interval: The longest time between two receipts while records arrive, seconds.
    ///   - requiresBackup: Whether a number is safe only if a backup covers it.
    package func receipt(databaseID: String, revision: Int64, interval: Int, requiresBackup: Bool) -> Receipt {
        Receipt(
            databaseID: databaseID, revision: revision, interval: interval,
            epochs: epochs.suffix(Self.maximumEpochs).map { $0.statement(requiresBackup: requiresBackup) },
            isPartial: epochs.count > Self.maximumEpochs, conflicts: conflicts)
    }
}
