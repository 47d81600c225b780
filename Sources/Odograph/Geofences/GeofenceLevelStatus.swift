import GeoJSON
import OdographJSON
import Wire

/// What is known of the messages of a level, for the report.
struct GeofenceLevelStatus: Hashable, Sendable, Codable {
    /// As many mistakes of a document are reported; whoever mends these will hear of the others.
    static let maximumErrors = 20

    /// As in a topic; `device` for the device's own.
    var level: String
    /// SHA-256 of the newest whole set; nil where there is none.
    var hash: String?
    /// Whether that one is in force.
    var isApplied = true
    /// Where it is not: the hash of the one that is.
    var hashInForce: String?
    /// What is wrong with the newest whole set, or with fences of it; at most ``maximumErrors``.
    var errors: [ReportedGeofenceError] = []
    /// How many there were.
    var errorCount = 0
    /// What is wrong with single fences, by the last part of their topic.
    var singleErrors: [String: [ReportedGeofenceError]] = [:]

    init(level: String) {
        self.level = level
    }

    /// Whether nothing is known.
    var isEmpty: Bool { hash == nil && hashInForce == nil && singleErrors.isEmpty }

    /// A whole set was withdrawn.
    mutating func withdraw() {
        (hash, isApplied, hashInForce, errors, errorCount) = (nil, true, nil, [], 0)
    }

    /// A whole set was taken, as far as its fences are good.
    mutating func apply(_ hash: String, _ problems: GeofenceProblemList) {
        (self.hash, isApplied, hashInForce) = (hash, true, nil)
        (errors, errorCount) = (problems.errors, problems.count)
    }

    /// A whole set was refused: the one before stays.
    mutating func refuse(_ hash: String, _ error: ReportedGeofenceError) {
        if isApplied { hashInForce = self.hash }
        (self.hash, isApplied, errors, errorCount) = (hash, false, [error], 1)
    }
}

/// The first of many problems, and how many there are.
struct GeofenceProblemList: Sendable {
    let topic: String
    private(set) var errors: [ReportedGeofenceError] = []
    private(set) var count = 0

    init(topic: String) {
        self.topic = topic
    }

    mutating func append(_ problems: [GeofenceProblem]) {
        count += problems.count
        let room = GeofenceLevelStatus.maximumErrors - errors.count
        guard room > 0 else { return }
        errors += problems.prefix(room).map { ReportedGeofenceError($0, topic: topic) }
    }
}

extension ReportedGeofenceError {
    /// The wire's form of what is wrong with a fence.
    init(_ problem: GeofenceProblem, topic: String) {
        self.init(
            topic: topic, identifier: problem.identifier, path: problem.path, line: problem.line, value: problem.value,
            message: problem.reason)
    }

    /// The wire's form of what is wrong with a whole document.
    init(_ error: GeoJSONError, topic: String) {
        self.init(topic: topic, identifier: nil, path: "", line: error.line, value: nil, message: "\(error)")
    }
}
