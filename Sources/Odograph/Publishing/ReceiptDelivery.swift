import OdographCivilTime
import OdographStore
import OdographWire

/// The state of delivery with receipts in the publisher.
struct ReceiptDelivery {
    /// The settings.
    let settings: DeliverySettings
    var plan: ResendPlan
    var watch = ReceiptWatch()
    /// The number of given-up records that the publisher has seen, see ``AgentStore/givenUpRecordCount``.
    var knownGivenUpCount = 0
    /// The receipts in force, as `reported` shows them.
    private(set) var reported: [ReportedReceipt] = []

    init(_ settings: DeliverySettings) {
        self.settings = settings
        plan = ResendPlan(recorders: settings.recorders)
    }

    mutating func report(_ receipt: RecorderReceipt, receivedAt now: Timestamp) {
        reported.removeAll { $0.recorder == receipt.recorder }
        reported.append(
            ReportedReceipt(
                recorder: receipt.recorder, databaseID: receipt.databaseID, revision: receipt.revision, receivedAt: now)
        )
        reported.sort { $0.recorder < $1.recorder }
    }
}

extension RecorderReceipt {
    /// Creates the form of the agent's database of a receipt on the wire.
    init(_ receipt: Receipt, of recorder: String) {
        self.init(
            recorder: recorder, databaseID: receipt.databaseID, revision: receipt.revision,
            epochs: Dictionary(
                receipt.epochs.map { epoch in
                    (
                        epoch.epoch,
                        Epoch(
                            through: epoch.through, missing: epoch.missing, safe: epoch.safe,
                            isPartial: epoch.isPartial)
                    )
                }, uniquingKeysWith: { first, _ in first }), isPartial: receipt.isPartial,
            conflicts: receipt.conflicts)
    }
}
