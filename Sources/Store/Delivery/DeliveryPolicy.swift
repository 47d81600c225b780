import OdographCivilTime
import OdographWire

/// The settings of delivery with receipts: a record is deleted when each of the recorders has it safely.
package struct DeliveryPolicy: Sendable {
    /// The names of the recorders whose receipts count.
    package var recorders: [String]
    /// The time for which a record is kept at least while there is room, seconds.
    package var keepSeconds: Double
    /// The conversion of given-up records.
    package var codec: GivenUpCodec

    /// Creates a policy.
    package init(recorders: [String], keepSeconds: Double, codec: GivenUpCodec) {
        self.recorders = recorders
        self.keepSeconds = keepSeconds
        self.codec = codec
    }
}

/// The findings about a receipt.
package struct ReceiptFindings: Hashable, Sendable {
    /// Whether the receipt is in force; false for an old one.
    package var isAccepted = false
    /// The epochs, without the present one, of which the receipts state numbers that this device has not made: it does
    /// not know the epoch, or it has made fewer numbers of it. Each epoch is here once, also over restarts.
    package var foreignEpochs: Set<Int64> = []
    /// The greatest number of the present epoch in the receipts, if it is above all numbers of this device; nil
    /// otherwise. Then another machine uses this epoch, or the whole disk was restored.
    package var foreignNumber: Int64?
    /// Whether a recorder has new conflicts: records of this device with the number of another record. Then another
    /// machine uses the present epoch.
    package var hasNewConflicts = false
}
