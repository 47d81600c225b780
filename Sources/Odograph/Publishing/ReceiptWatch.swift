import OdographStore

/// Watches that receipts arrive while the agent is connected and records wait for them.
struct ReceiptWatch {
    /// The time without a receipt after which it is overdue, milliseconds.
    static let overdueMilliseconds: Int64 = 3_600_000
    /// The time after the connection in which retained receipts are awaited before the backlog is sent, milliseconds.
    private static let firstReceiptMilliseconds: Int64 = 10_000

    private var connectedAt: Int64?
    /// The time of the connections that have ended, milliseconds.
    private var endedMilliseconds: Int64 = 0
    /// When the newest receipt of each recorder came, in the time of ``connectedMilliseconds(_:)``.
    private var heardAt: [String: Int64] = [:]
    /// Since when records wait for a receipt, in the same time; nil if none waits.
    private var waitingSince: Int64?
    /// The time of the newest repeated subscription.
    private var askedAgainAt: Int64?

    mutating func handleConnected(uptimeMilliseconds now: Int64) {
        handleDisconnected(uptimeMilliseconds: now)
        connectedAt = now
    }

    mutating func handleDisconnected(uptimeMilliseconds now: Int64) {
        endedMilliseconds = connectedMilliseconds(now)
        connectedAt = nil
    }

    mutating func handleAcknowledged(uptimeMilliseconds now: Int64) {
        waitingSince = waitingSince ?? connectedMilliseconds(now)
    }

    /// - Parameter isWaiting: Whether records wait for another receipt.
    mutating func handleReceipt(of recorder: String, isWaiting: Bool, uptimeMilliseconds now: Int64) {
        heardAt[recorder] = connectedMilliseconds(now)
        if !isWaiting { waitingSince = nil }
    }

    /// Returns how long the agent has been connected in all. Only this time counts: many short connections without a
    /// receipt are as bad as a long one, and a receipt cannot come while there is no connection.
    private func connectedMilliseconds(_ now: Int64) -> Int64 {
        endedMilliseconds + (connectedAt.map { now - $0 } ?? 0)
    }

    /// Returns the time until which the backlog waits for the retained receipts; nil if it does not wait.
    func backlogDue(_ receipts: ReceiptsInForce, uptimeMilliseconds now: Int64) -> Int64? {
        guard let connectedAt, !receipts.isComplete, now - connectedAt < Self.firstReceiptMilliseconds else {
            return nil
        }
        return connectedAt + Self.firstReceiptMilliseconds
    }

    /// Returns whether to subscribe to overdue receipts again, once in the time after which they are overdue. A broker
    /// can lose the subscription and keep the connection: a cluster of NATS does when a node of it is killed.
    mutating func askAgain(uptimeMilliseconds now: Int64) -> Bool {
        if let askedAgainAt, now - askedAgainAt < Self.overdueMilliseconds { return false }
        askedAgainAt = now
        return true
    }

    /// Returns the recorders whose receipts are overdue.
    func overdue(of recorders: [String], uptimeMilliseconds now: Int64) -> [String] {
        guard connectedAt != nil, let waitingSince else { return [] }
        return recorders.filter {
            connectedMilliseconds(now) - max(heardAt[$0] ?? 0, waitingSince) >= Self.overdueMilliseconds
        }
    }
}
