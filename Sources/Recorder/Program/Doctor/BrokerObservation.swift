import OdographLink
import OdographTerminal
import OdographWire

/// The results of a short session with the broker.
struct BrokerObservation {
    static let subject = "broker"

    /// The broker in messages.
    let url: String
    /// The fleets of the configuration.
    let fleets: [String]
    /// The number of subscriptions of a recorder.
    let filterCount: Int
    /// The parameters of the connection; nil without one.
    var connection: ConnectionInfo?
    /// The reason why there is no connection, as a sentence; nil if there is one.
    var failure: String?
    /// The refused subscriptions with their reasons.
    var refusedFilters: [String: String] = [:]
    /// The number of answered subscriptions.
    var answeredFilters = 0
    /// The reasons why the broker refused a test message to a receipt topic, by fleet.
    var refusedReceipts: [String: String] = [:]
    /// The fleets in which the broker has passed a test message on to this session.
    var confirmedFleets: Set<String> = []
    /// The names of the databases in the retained receipts; empty for a receipt that is not readable.
    var receipts: [DeviceAddress: String] = [:]

    /// The outcome of a message for a session whose client was away.
    var away = AwaySessionCheck.Result.notChecked

    init(url: String, fleets: [String], filterCount: Int) {
        (self.url, self.fleets, self.filterCount) = (url, fleets, filterCount)
    }

    /// Whether all answers are there.
    var isComplete: Bool {
        answeredFilters >= filterCount
            && fleets.allSatisfy { confirmedFleets.contains($0) || refusedReceipts[$0] != nil }
    }

    /// Whether the retained receipts of all fleets were received: those of a fleet come before its test message.
    var hasReceipts: Bool { connection != nil && fleets.allSatisfy(confirmedFleets.contains) }

    /// The findings about the connection, the subscriptions and the receipts.
    var findings: [Finding] {
        if let failure { return [Finding(.fail, Self.subject, sentence: "\(url): \(failure)")] }
        guard let connection else {
            return [
                Finding(
                    .fail, Self.subject, "\(url): no response", advice: "check this machine's network and DNS")
            ]
        }
        return [connectionFinding(connection)] + subscriptionFindings + receiptFindings
            + [AwaySessionCheck.finding(away)].compactMap { $0 }
    }

    private func connectionFinding(_ connection: ConnectionInfo) -> Finding {
        let version = "MQTT \(connection.protocolVersion.rawValue)"
        guard connection.maximumQoS > 0 else {
            return Finding(
                .fail, Self.subject, "\(url): \(version), QoS 0 only: messages can be lost",
                advice: "allow QoS 1 at the broker")
        }
        return Finding(.ok, Self.subject, "\(url): \(version), login accepted, QoS \(connection.maximumQoS)")
    }

    private var subscriptionFindings: [Finding] {
        guard refusedFilters.isEmpty else {
            return refusedFilters.sorted { $0.key < $1.key }.map { filter, reason in
                Finding(
                    .fail, "subscriptions", "the broker refuses \(filter): \(reason)",
                    advice: "give this login the role recorder")
            }
        }
        guard answeredFilters >= filterCount else {
            return [
                Finding(
                    .fail, "subscriptions", "the broker has answered \(answeredFilters) of \(filterCount)",
                    advice: "read the broker's log")
            ]
        }
        return [Finding(.ok, "subscriptions", "\(filterCount) granted")]
    }

    private var receiptFindings: [Finding] {
        fleets.map { fleet in
            if confirmedFleets.contains(fleet) {
                return Finding(.ok, "receipts", "this login can publish receipts in the fleet \(fleet)")
            }
            let reason = refusedReceipts[fleet] ?? "it did not pass a test message on"
            return Finding(
                .fail, "receipts",
                "the broker does not publish receipts of this login in the fleet \(fleet): \(reason)",
                advice: "give this login the role recorder; without receipts the vehicles keep their records")
        }
    }
}
