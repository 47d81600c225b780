import OdographGeoJSON
import OdographJSON
import OdographWire

/// The status of a level's messages, for the report.
package struct GeofenceLevelStatus: Hashable, Sendable, Codable {
    /// The maximum number of reported errors of a document. A corrected document then reports the others.
    package static let maximumErrors = 20

    /// The level's name as in a topic; `device` for the device's own level.
    package var level: String
    /// The SHA-256 hash of the newest whole set. nil if there is none.
    package var hash: String?
    /// Whether the newest whole set is in force.
    package var isApplied = true
    /// The hash of the set in force, if it is not the newest one.
    package var hashInForce: String?
    /// The errors of the newest whole set and its fences, at most ``maximumErrors``.
    package var errors: [ReportedGeofenceError] = []
    /// The number of all errors of the newest whole set.
    package var errorCount = 0
    /// The errors of single fences, by the last part of their topic; empty for those beyond ``maximumErrors`` fences.
    package var singleErrors: [String: [ReportedGeofenceError]] = [:]

    package var isEmpty: Bool { hash == nil && hashInForce == nil && singleErrors.isEmpty }

    /// Records that the whole set was withdrawn.
    package mutating func withdraw() {
        (hash, isApplied, hashInForce, errors, errorCount) = (nil, true, nil, [], 0)
    }

    /// Records that the valid fences of a whole set were put into force.
    package mutating func apply(_ hash: String, _ problems: GeofenceProblemList) {
        (self.hash, isApplied, hashInForce) = (hash, true, nil)
        (errors, errorCount) = (problems.errors, problems.count)
    }

    /// Records that a whole set was refused. The one before it stays in force.
    package mutating func refuse(_ hash: String, _ error: ReportedGeofenceError) {
        if isApplied { hashInForce = self.hash }
        (self.hash, isApplied, errors, errorCount) = (hash, false, [error], 1)
    }
}

/// The first of many problems, and the number of all.
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
    /// Creates the wire form of a fence's problem.
    package init(_ problem: GeofenceProblem, topic: String) {
        self.init(
            topic: topic, identifier: problem.identifier, path: problem.path, line: problem.line, value: problem.value,
            message: problem.reason)
    }

    /// Creates the wire form of a document's error.
    package init(_ error: JSONError, topic: String) {
        self.init(topic: topic, identifier: nil, path: "", line: error.line, value: nil, message: "\(error)")
    }
}
