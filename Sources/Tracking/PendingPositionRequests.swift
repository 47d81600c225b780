import CivilTime

/// The requests for the position that wait for samples.
struct PendingPositionRequests: Equatable, Sendable, Codable {
    private struct PendingRequest: Equatable, Codable {
        var request: PositionRequest
        var due: Timestamp
        var best: TrackedLocation?
        var samples = 0
    }

    private var waiting: [PendingRequest] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// When the first of them runs out of time.
    var nextTimeout: Timestamp? { waiting.map(\.due).min() }

    mutating func add(_ request: PositionRequest, at now: Timestamp) {
        waiting.append(PendingRequest(request: request, due: now.advanced(bySeconds: request.timeoutSeconds)))
    }

    /// Gives every request a sample.
    /// - Returns: those that it completes, with the best sample of each.
    mutating func addSample(_ sample: TrackedLocation) -> [(PositionRequest, TrackedLocation)] {
        var answered: [(PositionRequest, TrackedLocation)] = []
        for index in waiting.indices {
            waiting[index].samples += 1
            if Self.isBetter(sample, than: waiting[index].best) { waiting[index].best = sample }
        }
        waiting.removeAll { entry in
            guard let best = entry.best else { return false }
            let isGood = best.fix.accuracyMeters.map { $0 <= entry.request.desiredAccuracyMeters } ?? false
            guard isGood || entry.samples >= entry.request.samples else { return false }
            answered.append((entry.request, best))
            return true
        }
        return answered
    }

    /// Takes out the requests whose time is up, each with the best sample it had.
    mutating func removeTimedOut(at time: Timestamp) -> [(PositionRequest, TrackedLocation?)] {
        let out = waiting.filter { $0.due <= time }.map { ($0.request, $0.best) }
        waiting.removeAll { $0.due <= time }
        return out
    }

    mutating func removeAll() {
        waiting.removeAll()
    }

    /// The smaller radius is better; of two alike the later.
    private static func isBetter(_ sample: TrackedLocation, than best: TrackedLocation?) -> Bool {
        guard let best else { return true }
        return (sample.fix.accuracyMeters ?? .infinity) <= (best.fix.accuracyMeters ?? .infinity)
    }
}
