import OdographWire

/// The callers that wait for the answer of the tracker to their position request. Each gets one answer.
struct PositionRequests {
    private var lastID: UInt64 = 0
    private var waiting: [UInt64: CheckedContinuation<LocationEvent?, Never>] = [:]

    /// Returns the identifier of a new request.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func wait(for id: UInt64, _ continuation: CheckedContinuation<LocationEvent?, Never>) {
        waiting[id] = continuation
    }

    /// Answers a request. Does nothing if it was answered.
    mutating func answer(_ id: UInt64, with event: LocationEvent?) {
        waiting.removeValue(forKey: id)?.resume(returning: event)
    }

    /// Answers all requests with nil.
    mutating func finish() {
        for id in waiting.keys.sorted() { answer(id, with: nil) }
    }
}
