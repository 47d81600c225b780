/// The settings of the receipts.
package struct ReceiptSettings: Hashable, Sendable {
    /// The name of the recorder, the last part of the topics of its receipts.
    package var recorder = "main"
    /// The longest time between two receipts of a vehicle while records arrive, seconds.
    package var interval = 600
    /// Whether a record is safe only if a complete backup has it.
    package var requiresBackup = false
}
