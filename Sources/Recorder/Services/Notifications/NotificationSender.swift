import Logging
import OdographHTTP
import OdographThreads

/// Delivers the notifications that wait in the database: one at a time for each rule, and at most four together. So a
/// target that does not respond delays only the notifications of its rule, as long as few targets are like this.
package actor NotificationSender {
    /// The times of the delivery.
    package struct Times: Sendable {
        /// The time between two looks for notifications, seconds.
        package var pollSeconds = 0.5
        /// The upper bound of the delay after the first failed attempt, seconds. It doubles with each attempt.
        package var minimumSeconds = 5.0
        /// The upper bound of every delay, seconds.
        package var maximumSeconds = 900.0
        /// The time limit of a command, seconds.
        package var commandSeconds = CommandRun.usualLimitSeconds
        /// The limits of a request.
        package var limits = HTTPClient.Limits()

        /// Creates the usual times.
        package init() {}
    }

    /// The number of notifications that are delivered together.
    private static let workerCount = 4
    /// The most notifications of a rule that a worker delivers before another rule has its turn.
    private static let longestTurn = 20

    private let recorder: FleetRecorder
    private let targets: [String: NotificationTarget]
    private let times: Times
    private let logger: Logger
    /// Whether the recorder stops.
    private let stopSign = StopSign()
    /// The workers that have nothing to do.
    private var idle: [NotificationWorker]
    /// The recipients of e-mails that need no further attempt, by the key of a notification that failed for others.
    /// After a restart they get it again.
    private var done: [Int64: Set<String>] = [:]
    /// The rules with a notification on its way.
    private var busy: Set<String> = []
    /// The turn of each rule: the vehicle whose notification is next.
    private var turns: [String: DeliveryTurn] = [:]
    /// The rules whose last attempt has failed, which the log says.
    private var failing: Set<String> = []

    /// - Parameters:
    ///   - recorder: The recorder whose database has the notifications.
    ///   - rules: The rules.
    ///   - times: The times of the delivery.
    ///   - logger: Logs each refusal, and the beginning and the end of an error of a target.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    package init(
        _ recorder: FleetRecorder, rules: [Rule], times: Times = Times(), logger: Logger
    ) throws(ThreadLimitError) {
        self.recorder = recorder
        targets = Dictionary(rules.map { ($0.name, $0.target) }) { first, _ in first }
        (self.times, self.logger) = (times, logger)
        var workers: [NotificationWorker] = []
        for _ in 0..<min(Self.workerCount, targets.count) {
            workers.append(
                try NotificationWorker(
                    limits: times.limits, commandSeconds: times.commandSeconds, stopSign: stopSign))
        }
        idle = workers
    }

    /// Delivers notifications until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            await deliverDue()
            try? await Task.sleep(for: .seconds(times.pollSeconds))
        }
    }

    /// Kills the commands that run, and waits for their end. A request to a web service is not waited for: it has a
    /// time limit, and what it is about is delivered again after the next start.
    package func stop() async {
        stopSign.set()
        let end = ContinuousClock.now + .seconds(2)
        while !busy.isEmpty, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(10)) }
    }

    /// Begins to deliver what is due, as far as there are idle workers. The rules take turns.
    private func deliverDue() async {
        guard !idle.isEmpty, !stopSign.isSet else { return }
        let now = ContinuousClock.now
        let open = targets.keys.filter { !busy.contains($0) && turns[$0, default: DeliveryTurn()].isOpen(at: now) }
        let places = Dictionary(uniqueKeysWithValues: open.map { ($0, turns[$0]?.vehicle ?? 0) })
        let due = await due(after: places)
        for notification in due.sorted(by: { isEarlier($0.rule, $1.rule) }) where !busy.contains(notification.rule) {
            guard let target = targets[notification.rule], let worker = idle.popLast() else { continue }
            busy.insert(notification.rule)
            Task { await deliver(notification, to: target, by: worker) }
        }
    }

    /// Returns the next notification of each rule, if one is due, and logs the floods that have begun.
    /// - Parameter turns: The rules, each with the vehicle that had the last turn.
    private func due(after turns: [String: Int64]) async -> [PendingNotification] {
        let found = try? await recorder.withDatabase { database throws(DatabaseFailure) in
            (due: try database.notifications.due(after: turns), floods: database.notifications.takeNewFloods())
        }
        // The recorder reports an error of the database itself; the next look can succeed.
        guard let found else { return [] }
        for flood in found.floods {
            logger.error(
                """
                rule \(flood.rule): notifications of \(flood.device) of \(flood.fleet) are dropped, because it \
                triggers too many; look at what this vehicle publishes, or revoke its certificate
                """)
        }
        return found.due
    }

    /// Stores what became of an attempt to deliver a notification.
    /// - Returns: Whether it is stored.
    private func note(
        _ result: DeliveryResult, of notification: PendingNotification, delaySeconds: Double
    ) async -> Bool {
        let noted: Void? = try? await recorder.withDatabase { database throws(DatabaseFailure) in
            try database.notifications.note(result, of: notification, delaySeconds: delaySeconds)
        }
        return noted != nil
    }

    /// Returns whether the last turn of a rule was before that of another one.
    private func isEarlier(_ rule: String, _ other: String) -> Bool {
        guard let last = turns[other]?.last else { return false }
        return turns[rule]?.last.map { $0 < last } ?? true
    }

    private func deliver(
        _ first: PendingNotification, to target: NotificationTarget, by worker: NotificationWorker
    ) async {
        var next: PendingNotification? = first
        var count = 0
        // While all goes well, the next one follows at once.
        while let notification = next {
            let delivery = await worker.deliver(notification, to: target, done: done[notification.key] ?? [])
            let result = delivery.result
            // Notifications that were dropped meanwhile leave theirs.
            if done.count > 10_000 { done.removeAll() }
            done[notification.key] = result.isFinal || delivery.done.isEmpty ? nil : delivery.done
            for refusal in delivery.refusals {
                logger.error("rule \(notification.rule): a recipient refuses a notification: \(refusal)")
            }
            report(result, of: notification.rule, target)
            turns[notification.rule, default: DeliveryTurn()].end(result, of: notification.vehicle, at: .now) {
                .seconds(delaySeconds(attempts: $0 - 1))
            }
            let seconds = delaySeconds(attempts: notification.attempts)
            while await !note(result, of: notification, delaySeconds: seconds) {
                // Without this note the notification is delivered again, which at least once allows.
                if Task.isCancelled { break }
                guard await recorder.isActive else { break }
                try? await Task.sleep(for: .seconds(times.pollSeconds))
            }
            count += 1
            guard count < Self.longestTurn, !stopSign.isSet, let turn = turns[notification.rule],
                turn.isOpen(at: .now)
            else { break }
            next = await due(after: [notification.rule: turn.vehicle]).first { $0.key != notification.key }
        }
        busy.remove(first.rule)
        idle.append(worker)
        if count >= Self.longestTurn { await deliverDue() }
    }

    /// Returns the delay after a failed attempt.
    /// - Parameter attempts: The number of failed attempts before it.
    private func delaySeconds(attempts: Int) -> Double {
        var delay = Backoff(
            minimumSeconds: times.minimumSeconds, maximumSeconds: times.maximumSeconds, resetSeconds: .infinity,
            floorSeconds: times.minimumSeconds / 2)
        var (generator, seconds) = (SystemRandomNumberGenerator(), 0.0)
        for _ in 0...min(attempts, 20) {
            seconds = delay.nextDelaySeconds(connectedSeconds: nil, using: &generator)
        }
        return seconds
    }

    private func report(_ result: DeliveryResult, of rule: String, _ target: NotificationTarget) {
        switch result {
        case .delivered:
            if failing.remove(rule) != nil {
                logger.notice("rule \(rule): \(target.description) takes notifications again")
            }
        case .refused(let reason):
            failing.remove(rule)
            logger.error("rule \(rule): a notification is dropped, because its target refuses it: \(reason)")
        case .failed(let reason):
            guard failing.insert(rule).inserted else { return }
            logger.error("rule \(rule): a notification waits, because it cannot be delivered: \(reason)")
        }
    }
}
