import OdographCivilTime
import OdographHTTP
import OdographJSON
import OdographTerminal
import OdographThreads

/// A notification of a rule that nothing has triggered. It shows a person whether the target gets notifications.
package struct TrialNotification: Sendable {
    private let rule: Rule

    /// - Parameters:
    ///   - name: The name of the rule.
    ///   - rules: The rules of the configuration.
    /// - Throws: `ExitError` if there is no such rule.
    package init(ofRule name: String, in rules: [Rule]) throws(ExitError) {
        guard let rule = rules.first(where: { $0.name == name }) else {
            let names = rules.map(\.name)
            throw ExitError(
                .usage,
                "no rule has the name \(name); "
                    + (names.isEmpty
                        ? "the configuration has no rules" : "the rules are " + names.joined(separator: ", ")))
        }
        self.rule = rule
    }

    /// The target for people.
    package var target: String { rule.target.description }

    /// Delivers it once, as the recorder does, and waits for the result.
    /// - Returns: The recipients who refuse it while others have it, each with the reason.
    /// - Throws: `ExitError` if the target does not take it.
    package func deliver(at time: Timestamp) async throws(ExitError) -> [String] {
        let vehicle = RuleVehicle(key: 0, fleet: rule.fleet ?? "trial", device: "trial")
        let content = RuleNotification(
            rule, .event, of: vehicle, at: time, text: "is no vehicle: a person tries the rule \(rule.name)")
        let delivery: Delivery
        do {
            let pending = PendingNotification(
                key: 0, rule: rule.name, vehicle: 0, payload: try JSONCoder.string(of: content), attempts: 0,
                created: time)
            let times = NotificationSender.Times()
            let worker = try NotificationWorker(limits: times.limits, commandSeconds: times.commandSeconds)
            delivery = await worker.deliver(pending, to: rule.target)
        } catch {
            throw ExitError(error)
        }
        switch delivery.result {
        case .delivered: return delivery.refusals
        case .refused(let reason): throw ExitError(.unavailable, "\(target) refuses the notification: \(reason)")
        case .failed(let reason): throw ExitError(.unavailable, "the notification cannot be delivered: \(reason)")
        }
    }
}
