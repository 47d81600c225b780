import OdographCivilTime
import OdographModel

/// The position requests that wait for samples.
struct PendingPositionRequests: Equatable, Sendable, Codable {
    struct PendingRequest: Equatable, Codable {
        var request: PositionRequest
        var due: Timestamp
        var best: TrackedLocation?
        var samples = 0
    }

    private var waiting: [PendingRequest] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// The earliest timeout of the requests.
    var nextTimeout: Timestamp? { waiting.map(\.due).min() }

    mutating func add(_ request: PositionRequest, at now: Timestamp) {
        waiting.append(PendingRequest(request: request, due: now.advanced(bySeconds: request.timeoutSeconds)))
    }

    /// Adds a sample to every request.
    /// - Returns: the requests that it completes, each with its best sample.
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

    /// Removes the requests that have timed out and returns them, each with its best sample.
    mutating func removeTimedOut(at time: Timestamp) -> [(PositionRequest, TrackedLocation?)] {
        let out = waiting.filter { $0.due <= time }.map { ($0.request, $0.best) }
        waiting.removeAll { $0.due <= time }
        return out
    }

    mutating func removeAll() {
        waiting.removeAll()
    }

    /// Whether a sample has a smaller radius; of equal ones the later is better.
    private static func isBetter(_ sample: TrackedLocation, than best: TrackedLocation?) -> Bool {
        guard let best else { return true }
        return (sample.fix.accuracyMeters ?? .infinity) <= (best.fix.accuracyMeters ?? .infinity)
    }
}
