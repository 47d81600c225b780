/// The true trips, matched with the published ones.
struct TripMatches {
    /// The found trips, with the published ones.
    private(set) var found: [(truth: Span, told: Span)] = []
    private(set) var missed: [Span] = []
    /// The published trips that match no true one.
    private(set) var falseTrips: [Span]

    /// - Parameters:
    ///   - told: The published trips.
    ///   - truths: The true trips. One is found if its ``Span/agreement(with:)`` with a published one is at least 0.5.
    init(_ told: [Span], against truths: [Span]) {
        falseTrips = told
        for truth in truths {
            guard let index = falseTrips.firstIndex(where: { $0.agreement(with: truth) >= 0.5 }) else {
                missed.append(truth)
                continue
            }
            found.append((truth, falseTrips.remove(at: index)))
        }
    }
}
