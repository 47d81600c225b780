import Logging
import OdographLink
import OdographPositioning
import OdographStore
import OdographWire

/// Delivery with receipts: reads receipts, and sends records again until each recorder covers them.
extension Publisher {
    /// Applies the settings of delivery.
    func updateDelivery(_ settings: DeliverySettings) {
        let wanted = settings.mode == .receipt ? settings : nil
        guard wanted != delivery?.settings else { return }
        // What waits for the receipts of the same recorders goes on to wait.
        let isSame = wanted != nil && wanted?.recorders == delivery?.settings.recorders
        if let wanted, isSame {
            delivery?.settings = wanted
        } else {
            if delivery != nil { problems.clear(.receiptOverdue) }
            delivery = wanted.map(ReceiptDelivery.init)
        }
        attempt("cannot change the delivery") {
            let policy = wanted.map {
                DeliveryPolicy(
                    recorders: $0.recorders, keepSeconds: $0.keepSeconds, codec: .json(deviceID: address.device))
            }
            try store.assumeIsolated { try $0.configureDelivery(policy) }
        }
        guard !isSame else { return }
        let (receipts, published) = store.assumeIsolated { ($0.receipts, $0.publishedNumbers) }
        delivery?.plan.restore(published: published, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        if let receipts {
            delivery?.plan.handleReceipts(receipts, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        }
        if let wanted {
            if isConnected { delivery?.watch.handleConnected(uptimeMilliseconds: clock.now().uptimeMilliseconds) }
            client.subscribe(wanted.recorders.map { address.receiptTopic(of: $0) })
        }
        scheduleDelivery()
        rewindBacklog()
    }

    /// The receipts in force, as `reported` shows them; nil if there are none.
    var reportedReceipts: [ReportedReceipt]? {
        delivery.flatMap { $0.reported.isEmpty ? nil : $0.reported }
    }

    /// Handles a receipt. An unreadable one and one of another recorder change nothing.
    func handleReceipt(_ payload: [UInt8], of name: String) {
        // An empty payload removes a retained receipt.
        guard delivery?.settings.recorders.contains(name) == true, !payload.isEmpty else { return }
        let receipt: Receipt
        do {
            receipt = try Receipt(message: payload)
        } catch {
            return logger.warning("the receipt of recorder \(name) is ignored: \(error)")
        }
        let now = clock.now()
        attempt("cannot apply a receipt") {
            let findings = try store.assumeIsolated {
                try $0.apply(RecorderReceipt(recorder: name, receipt: receipt), now: now.systemTime)
            }
            guard findings.isAccepted, let receipts = store.assumeIsolated({ $0.receipts }) else { return }
            delivery?.report(receipt, of: name, receivedAt: now.systemTime)
            delivery?.plan.handleReceipts(
                receipts, intervalSeconds: receipt.interval, uptimeMilliseconds: now.uptimeMilliseconds)
            let isWaiting = delivery?.plan.isWaiting == true
            delivery?.watch.handleReceipt(
                of: name, isWaiting: isWaiting, uptimeMilliseconds: now.uptimeMilliseconds)
            checkReceipts()
            try handle(findings, of: name)
        }
        rewindBacklog()
    }

    private func handle(_ findings: ReceiptFindings, of name: String) throws {
        if !findings.foreignEpochs.isEmpty {
            let epochs = findings.foreignEpochs.sorted().map { "\($0)" }.joined(separator: ", ")
            let text =
                "recorder \(name) has records of epoch \(epochs), which this agent has not made: another machine has "
                + "used the name of this vehicle, or an earlier database of this agent is lost, or it ran without its "
                + "database; the agent does not answer for them"
            problems.raise(.storeInconsistent, text, reason: "epochs")
            logger.warning("\(text)")
        }
        let former = store.epochIdentity.epoch
        let evidence: String
        if let foreign = findings.foreignNumber {
            evidence =
                "recorder \(name) has record \(foreign) of epoch \(former), which this agent has not made: another "
                + "machine uses a copy of this agent's data, or an older disk was restored"
        } else if findings.hasNewConflicts {
            evidence =
                "recorder \(name) has other records with the numbers of this agent's records: another machine uses a "
                + "copy of this agent's data; give each vehicle its own device name and an empty database"
        } else {
            return
        }
        try renewEpoch(evidence, othersThrough: findings.foreignNumber ?? 0)
    }

    /// Returns the next records that are to be sent.
    func readWanted(_ request: PublishFlowControl.BacklogRequest, _ state: ReceiptDelivery) throws -> [StoredRecord] {
        let now = clock.now().uptimeMilliseconds
        return try store.assumeIsolated { store in
            let present = store.epochIdentity.epoch
            let givenUp = store.givenUpKeys
            var unwanted: [Int64: NumberSet] = [:]
            func numbers(_ epoch: Int64) -> NumberSet {
                if let known = unwanted[epoch] { return known }
                let published = store.assumeIsolated { $0.published(in: epoch) }
                let found = state.plan.unwanted(
                    in: epoch, givenUp: NumberSet(givenUp.lazy.filter { $0.epoch == epoch }.map { $0.seq...$0.seq }),
                    published: published, uptimeMilliseconds: now)
                unwanted[epoch] = found
                return found
            }
            var after = request.after
            while true {
                if after?.epoch == present || (after == nil && !store.hasRecordsOfEarlierEpochs) {
                    let next = (after?.seq ?? 0) + 1
                    after = RecordKey(epoch: present, seq: numbers(present).lastOfRange(with: next) ?? next - 1)
                }
                let records = try store.unacknowledged(
                    after: after, limit: request.limit, maximumBytes: request.maximumBytes,
                    withLocations: request.withLocations)
                let wanted = records.filter { !numbers($0.epoch).contains($0.seq) }
                guard wanted.isEmpty, let last = records.last else { return wanted }
                after = last.key
            }
        }
    }

    /// Prepares to send the given-up records that the store has made.
    func noticeGivenUpRecords() {
        guard let known = delivery?.knownGivenUpCount else { return }
        let count = store.assumeIsolated { $0.givenUpRecordCount }
        guard count != known else { return }
        delivery?.knownGivenUpCount = count
        flowControl.rewindBacklog()
    }

    /// Whether the backlog waits for the retained receipts of a new connection.
    var isAwaitingReceipts: Bool {
        guard let delivery else { return false }
        let now = clock.now().uptimeMilliseconds
        return delivery.watch.backlogDue(delivery.plan.receipts, uptimeMilliseconds: now) != nil
    }

    /// Schedules the next check whether records are to be sent again.
    func scheduleDelivery() {
        deliveryTimer.set(deliveryDueUptimeMilliseconds, clock: clock) { [weak self] in
            await self?.handleDeliveryTimer()
        }
    }

    /// The time of that check, on the monotonic clock; nil if none is necessary.
    private var deliveryDueUptimeMilliseconds: Int64? {
        guard let delivery, isConnected else { return nil }
        let now = clock.now().uptimeMilliseconds
        return delivery.watch.backlogDue(delivery.plan.receipts, uptimeMilliseconds: now)
            ?? (delivery.plan.isWaiting ? now + delivery.plan.partMilliseconds : nil)
    }

    private func handleDeliveryTimer() {
        guard deliveryTimer.takeExpired() else { return }
        checkReceipts()
        rewindBacklog()
        scheduleDelivery()
    }

    /// Raises or clears the problem of overdue receipts.
    private func checkReceipts() {
        guard let delivery else { return }
        let now = clock.now().uptimeMilliseconds
        let overdue = delivery.watch.overdue(of: delivery.settings.recorders, uptimeMilliseconds: now)
        guard !overdue.isEmpty else {
            problems.clear(.receiptOverdue)
            return
        }
        if self.delivery?.watch.askAgain(uptimeMilliseconds: now) == true {
            client.subscribe(overdue.map { address.receiptTopic(of: $0) })
        }
        problems.raise(
            .receiptOverdue,
            "no receipt of \(overdue.joined(separator: ", ")) for an hour; check that the recorder runs, and that the "
                + "broker's rules allow \(address.receiptTopic(of: "+"))",
            at: .warning, in: logger)
    }
}
