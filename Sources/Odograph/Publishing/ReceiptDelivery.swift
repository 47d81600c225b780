import OdographCivilTime
import OdographStore
import OdographWire

/// The state of delivery with receipts in the publisher.
struct ReceiptDelivery {
    /// The settings.
    var settings: DeliverySettings
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

    mutating func report(_ receipt: Receipt, of recorder: String, receivedAt now: Timestamp) {
        reported.removeAll { $0.recorder == recorder }
        reported.append(
            ReportedReceipt(
                recorder: recorder, databaseID: receipt.databaseID, revision: receipt.revision, receivedAt: now))
        reported.sort { $0.recorder < $1.recorder }
    }
}
