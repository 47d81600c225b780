import Tracking

/// What has been read of a feature, in whatever order its members came.
struct FeatureDraft {
    /// Which feature it is, from 1.
    let number: Int
    /// The line that it begins on.
    let line: Int
    /// Where it is: `features[11]`; empty for a document that is one feature.
    let path: String

    var hasType = false
    /// The identifier by `id`, and by `properties.identifier`.
    var id: String?
    var identifier: String?
    var geometryType: String?
    var geometryLine = 0
    /// Whether there is a geometry, of which nothing need be said again.
    var hasGeometry = false
    var radiusMeters: Double?
    var corridorMeters: Double?
    var rule = GeofenceRule()
    /// The members that came, so that none comes twice.
    var seenMembers: Set<String> = []
    private(set) var problems: [GeofenceProblem] = []
    private var suppressed = 0

    /// As many mistakes of a fence are told.
    private static let maximumProblems = 10

    init(number: Int, line: Int, path: String) {
        self.number = number
        self.line = line
        self.path = path
    }

    /// What the fence is called.
    var effectiveIdentifier: String? { identifier ?? id }

    /// - Parameter below: where in the feature; empty for all of it.
    mutating func addProblem(_ below: String, _ reason: String, line: Int, value: String? = nil) {
        guard problems.count < Self.maximumProblems else { return }
        let joint = path.isEmpty || below.isEmpty || below.hasPrefix("[") ? "" : "."
        problems.append(
            GeofenceProblem(
                identifier: nil, feature: number, path: path + joint + below, line: line, value: value, reason: reason))
    }

    /// The problems, each with the fence's name.
    var identifiedProblems: [GeofenceProblem] {
        problems.map { problem in
            var problem = problem
            problem.identifier = effectiveIdentifier
            return problem
        }
    }
}
