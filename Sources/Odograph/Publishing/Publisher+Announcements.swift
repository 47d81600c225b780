import Logging
import OdographJSON
import OdographLink
import OdographPositioning
import OdographStore
import OdographThreads
import OdographWire

/// The topic `numbers`: tells the broker which numbers can come, and finds out whether somebody else uses them.
extension Publisher {
    /// The topic, to which the agent also subscribes.
    nonisolated var numbersTopic: String { address.topic(.numbers) }

    /// Handles the broker's answer to the subscription.
    func handleNumbersSubscribed(isRefused: Bool) {
        announcements.handleSubscribed(isRefused: isRefused, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        scheduleAnnouncement()
        workSignal.send()
    }

    /// Handles a message on the topic: one that the broker retains, or that somebody publishes now. An unreadable one
    /// says nothing, and the agent's next announcement replaces it.
    func handleNumbers(_ payload: [UInt8]) {
        let message = try? NumbersMessage(message: payload)
        let found = message.flatMap { $0.deviceID == address.device ? NumberAnnouncement($0) : nil }
        announcements.handleMessage(isOwn: found == store.assumeIsolated { $0.announcement })
        defer {
            scheduleAnnouncement()
            workSignal.send()
        }
        guard let found else { return }
        attempt("cannot compare the numbers with the broker's") {
            let isFirst = !hasComparedNumbers
            hasComparedNumbers = true
            let finding = try store.assumeIsolated { try $0.finding(about: found, isFirst: isFirst) }
            let former = store.epochIdentity.epoch
            switch finding {
            case .consistent:
                if found == store.assumeIsolated({ $0.announcement }) { announced = found }
            case .sharedEpoch(let through):
                try renewEpoch(
                    "\(numbersTopic) has the numbers of epoch \(former) up to \(through), which this agent has not "
                        + "announced: an older disk was put back, or another machine uses a copy of this agent's data",
                    othersThrough: through)
            case .laterEpoch(let epoch):
                try renewEpoch(
                    "\(numbersTopic) has epoch \(epoch), which is later than epoch \(former) and unknown to this "
                        + "agent: an older disk was put back, or this agent ran without its database, or another "
                        + "machine has used the name of this vehicle",
                    othersThrough: 0, after: epoch)
            }
        }
    }

    /// Begins a new epoch, because somebody else uses the numbers of the present one.
    /// - Parameter evidence: A sentence without a full stop.
    func renewEpoch(_ evidence: String, othersThrough: Int64, after known: Int64 = 0) throws {
        let now = clock.now().systemTime
        let hasBegun = try store.assumeIsolated { store in
            try store.renewEpoch(
                othersThrough: othersThrough, after: known, now: now, payload: RecordMessage.payload(of:renumbered:))
        }
        let effect = hasBegun ? "a new epoch begins" : "too many new epochs have begun, so no other one begins yet"
        problems.raise(.storeInconsistent, "\(evidence); \(effect)", reason: "numbers", at: .error, in: logger)
        guard hasBegun else { return }
        handleNewEpoch(after: othersThrough > 0 ? Int(clamping: othersThrough) : OpeningReport.unknownLoss)
    }

    /// - Parameter records: The most records that somebody else has published.
    private func handleNewEpoch(after records: Int) {
        onOtherRun?(records)
        announced = nil
        announcements.handleNewEpoch()
        flowControl.handleNewEpoch()
        workSignal.send()
    }

    /// Does what is left of a new epoch after a kill or an error.
    private func finishRenumbering() throws {
        let now = clock.now().systemTime
        let hasFinished = try store.assumeIsolated {
            try $0.renumberRecords(now: now, payload: RecordMessage.payload(of:renumbered:))
        }
        if hasFinished { handleNewEpoch(after: OpeningReport.unknownLoss) }
    }

    /// Announces the numbers of all stored records, and returns whether these records may be published now.
    func mayPublishNumbers() throws -> Bool {
        guard announcements.dueUptimeMilliseconds == nil else { return false }
        try finishRenumbering()
        try announceNumbers()
        guard announcements.dueUptimeMilliseconds == nil else { return false }
        // Without a connection nothing was announced: the announcement that the store has is of an earlier run.
        if isConnected { store.assumeIsolated { $0.permitAnnouncedNumbers() } }
        return true
    }

    /// Publishes the last number that can come, if it has changed. It goes ahead of the records.
    private func announceNumbers() throws {
        guard isConnected else { return }
        // Also where the topic is not used: what can have been published follows from it.
        let current = try store.assumeIsolated { try $0.announceNumbers() }
        guard announcesNumbers, current.through > 0, current != announced else { return }
        announced = current
        let message = NumbersMessage(current, deviceID: address.device)
        client.publish([
            OutgoingMessage(
                topic: numbersTopic, payload: JSONCoder.payload(of: message).bytes,
                isRetained: UplinkChannel.numbers.isRetained)
        ])
        announcements.handleAnnounced(uptimeMilliseconds: clock.now().uptimeMilliseconds)
        scheduleAnnouncement()
    }

    /// Schedules the end of the wait for the retained message.
    func scheduleAnnouncement() {
        announcementTimer.set(announcements.dueUptimeMilliseconds, clock: clock) { [weak self] in
            await self?.handleAnnouncementTimer()
        }
    }

    private func handleAnnouncementTimer() {
        guard announcementTimer.takeExpired() else { return }
        if announcements.tick(uptimeMilliseconds: clock.now().uptimeMilliseconds) { workSignal.send() }
    }
}

extension NumberAnnouncement {
    /// The greatest number that each JSON parser reads exactly.
    private static let greatest: Int64 = (1 << 53) - 1

    /// Creates the store's form of a message; nil for one that violates the contract.
    fileprivate init?(_ message: NumbersMessage) {
        guard message.id.utf8.count == 16, let id = UInt64(message.id, radix: 16),
            (1...Self.greatest).contains(message.epoch), (1...Self.greatest).contains(message.through)
        else { return nil }
        self.init(epoch: message.epoch, through: message.through, id: id)
    }
}

extension NumbersMessage {
    fileprivate init(_ announcement: NumberAnnouncement, deviceID: String) {
        let digits = String(announcement.id, radix: 16)
        self.init(
            deviceID: deviceID, epoch: announcement.epoch, through: announcement.through,
            id: String(repeating: "0", count: 16 - digits.utf8.count) + digits)
    }
}
