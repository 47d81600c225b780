/// The trips that there were, held against those that were told.
struct TripMatches {
    /// Those that were found, with what was told of them.
    private(set) var found: [(truth: Span, told: Span)] = []
    private(set) var missed: [Span] = []
    /// What was told and was none.
    private(set) var falseTrips: [Span]

    /// - Parameters:
    ///   - told: trips that were told.
    ///   - truths: those that there were; found are those that share half of their time with one that was told.
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
