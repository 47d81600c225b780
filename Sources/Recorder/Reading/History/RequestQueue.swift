import OdographWire

/// The requests that wait. The persons take turns: one with many requests does not hold up the others.
struct RequestQueue {
    private var requests: [(pending: PendingRequest, request: HistoryRequest)] = []
    private var lastPerson: HistoryAddress?

    /// Returns whether a request waits.
    func contains(_ pending: PendingRequest) -> Bool { requests.contains { $0.pending.isSame(as: pending) } }

    /// Adds a request.
    mutating func append(_ pending: PendingRequest, _ request: HistoryRequest) { requests.append((pending, request)) }

    /// Removes and returns the next request: the oldest one of another person than the last time, if there is one. Nil
    /// if none waits.
    mutating func takeNext() -> (pending: PendingRequest, request: HistoryRequest)? {
        guard !requests.isEmpty else { return nil }
        let next = requests.remove(at: requests.firstIndex { $0.pending.address != lastPerson } ?? 0)
        lastPerson = next.pending.address
        return next
    }
}
