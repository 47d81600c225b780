import GeoJSON
import Wire

/// What is known of the messages of a level, for the report.
package struct GeofenceLevelStatus: Hashable, Sendable, Codable {
    /// As many mistakes of a document are reported; whoever mends these will hear of the others.
    package static let maximumErrors = 20

    /// As in a topic; `device` for the device's own.
    package var level: String
    /// SHA-256 of the newest whole set; nil where there is none.
    package var hash: String?
    /// Whether that one is in force.
    package var isApplied = true
    /// Where it is not: the hash of the one that is.
    package var hashInForce: String?
    /// What is wrong with the newest whole set, or with fences of it; at most ``maximumErrors``.
    package var errors: [ReportedGeofenceError] = []
    /// How many there were.
    package var errorCount = 0
    /// What is wrong with single fences, by the last part of their topic.
    package var singleErrors: [String: [ReportedGeofenceError]] = [:]

    package init(level: String) {
        self.level = level
    }

    /// Whether nothing is known.
    package var isEmpty: Bool { hash == nil && hashInForce == nil && singleErrors.isEmpty }

    /// A whole set was withdrawn.
    package mutating func withdraw() {
        (hash, isApplied, hashInForce, errors, errorCount) = (nil, true, nil, [], 0)
    }

    /// A whole set was taken, as far as its fences are good.
    package mutating func apply(_ hash: String, _ problems: GeofenceProblemList) {
        (self.hash, isApplied, hashInForce) = (hash, true, nil)
        (errors, errorCount) = (problems.errors, problems.count)
    }

    /// A whole set was refused: the one before stays.
    package mutating func refuse(_ hash: String, _ error: ReportedGeofenceError) {
        if isApplied { hashInForce = self.hash }
        (self.hash, isApplied, errors, errorCount) = (hash, false, [error], 1)
    }
}

/// The first of many problems, and how many there are.
package struct GeofenceProblemList: Sendable {
    package let topic: String
    package private(set) var errors: [ReportedGeofenceError] = []
    package private(set) var count = 0

    package init(topic: String) {
        self.topic = topic
    }

    package mutating func append(_ problems: [GeofenceProblem]) {
        count += problems.count
        let room = GeofenceLevelStatus.maximumErrors - errors.count
        guard room > 0 else { return }
        errors += problems.prefix(room).map { ReportedGeofenceError($0, topic: topic) }
    }
}

extension ReportedGeofenceError {
    /// The wire's form of what is wrong with a fence.
    package init(_ problem: GeofenceProblem, topic: String) {
        self.init(
            topic: topic, identifier: problem.identifier, path: problem.path, line: problem.line, value: problem.value,
            message: problem.reason)
    }

    /// The wire's form of what is wrong with a whole document.
    package init(_ error: GeoJSONError, topic: String) {
        self.init(topic: topic, identifier: nil, path: "", line: error.line, value: nil, message: "\(error)")
    }
}
