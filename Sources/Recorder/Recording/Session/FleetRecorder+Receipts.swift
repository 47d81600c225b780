import Logging
import OdographLink

extension FleetRecorder {
    /// Notes a new connection: the broker may have other receipts now.
    func beginReceipts() {
        guard let database else { return }
        hasReportedRefusal = false
        do throws(DatabaseFailure) {
            try receipts.connect(database.records)
            receiptFailure = nil
        } catch {
            reportReceiptFailure(error)
        }
    }

    /// Ends the publication of receipts until the next connection.
    func endReceipts() {
        receipts.disconnect()
        receiptTurn.cancel()
    }

    /// Plans the next turn.
    func planReceipts() {
        guard let next = receipts.nextTurn else { return }
        receiptTurn.plan(at: next) { await self.publishReceipts() }
    }

    /// Logs that the broker refuses a receipt, once for each connection.
    func reportReceiptRefusal(_ text: String) {
        guard !hasReportedRefusal else { return }
        hasReportedRefusal = true
        logger.error("the broker refuses the receipts: \(text); check that this login has the role recorder")
    }

    /// Publishes the receipts that are due. An error does not end the recording.
    private func publishReceipts() {
        receiptTurn.begin()
        guard let client, let database else { return }
        do throws(DatabaseFailure) {
            let messages = try receipts.takeMessages(from: database.records)
            client.publish(messages)
            counters.countReceipts(messages.count)
            receiptFailure = nil
        } catch {
            reportReceiptFailure(error)
        }
        planReceipts()
    }

    private func reportReceiptFailure(_ failure: DatabaseFailure) {
        receipts.postpone()
        guard receiptFailure == nil else { return }
        receiptFailure = failure
        logger.error("no receipts, because the database cannot be read: \(failure)")
    }
}
