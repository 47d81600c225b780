import OdographModel

/// The parsed members of a feature, which may be in any order.
struct FeatureDraft {
    /// The number of the feature, from 1.
    let number: Int
    /// The line on which the feature begins.
    let line: Int
    /// The place of the feature, `features[11]`; empty if the document is one feature.
    let path: String

    var hasType = false
    /// The identifier in `id`. ``identifier`` is the one in `properties.identifier`.
    var id: String?
    var identifier: String?
    var geometryType: String?
    var geometryLine = 0
    /// Whether there is a geometry without reported problems.
    var hasGeometry = false
    var radiusMeters: Double?
    var corridorMeters: Double?
    var rule = GeofenceRule()
    /// The keys found so far, to detect duplicates.
    var seenMembers: Set<String> = []
    private(set) var problems: [GeofenceProblem] = []

    /// The greatest number of problems reported for one geofence.
    private static let maximumProblems = 10

    init(number: Int, line: Int, path: String) {
        self.number = number
        self.line = line
        self.path = path
    }

    /// The identifier of the geofence.
    var effectiveIdentifier: String? { identifier ?? id }

    /// Adds a problem.
    /// - Parameter below: The place in the feature; empty for the whole feature.
    mutating func addProblem(_ below: String, _ reason: String, line: Int, value: String? = nil) {
        guard problems.count < Self.maximumProblems else { return }
        let joint = path.isEmpty || below.isEmpty || below.hasPrefix("[") ? "" : "."
        problems.append(
            GeofenceProblem(
                identifier: nil, feature: number, path: path + joint + below, line: line, value: value, reason: reason))
    }

    /// The problems of a whole collection.
    var documentProblems: [GeofenceProblem] {
        problems.map {
            GeofenceProblem(
                identifier: nil, feature: 0, path: $0.path, line: $0.line, value: $0.value, reason: $0.reason)
        }
    }

    /// The problems, each with the geofence's identifier.
    var identifiedProblems: [GeofenceProblem] {
        problems.map { problem in
            var problem = problem
            problem.identifier = effectiveIdentifier
            return problem
        }
    }
}
