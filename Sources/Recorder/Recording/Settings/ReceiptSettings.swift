/// The settings of the receipts.
package struct ReceiptSettings: Hashable, Sendable {
    /// The name of the recorder, the last part of the topics of its receipts.
    package var recorder: String
    /// The longest time between two receipts of a vehicle while records arrive, seconds.
    package var interval: Int
    /// Whether a record is safe only if a complete backup has it.
    package var requiresBackup: Bool

    /// - Parameters: As the properties of the same names.
    package init(recorder: String = "main", interval: Int = 600, requiresBackup: Bool = false) {
        self.recorder = recorder
        self.interval = interval
        self.requiresBackup = requiresBackup
    }
}
