import OdographGeoJSON
import OdographJSON
import OdographModel
import OdographSettings
import OdographTracking

/// The result of parsing a geofence message.
package enum GeofenceMessage: Sendable {
    /// The whole set of the level, or the single fence, is withdrawn.
    case withdrawn
    /// The valid fences of a whole set, and the problems of the others.
    case set(GeofenceSet, GeofenceProblemList)
    /// One fence.
    case fence(Geofence)
    /// One fence that is invalid.
    case refused(GeofenceProblemList)
    /// A payload that is no geofence document.
    case unreadable(JSONError)
}

/// The parser of geofence messages.
package enum GeofenceParser {
    /// The maximum size of one fence: a hundred thousand positions.
    package static let maximumFenceBytes = 8 << 20

    /// The mistake of a document that is one Feature, where a set is expected.
    package static let featureInsteadOfSet = JSONError(
        line: 1, column: 1, reason: "write a FeatureCollection; one Feature has a topic of its own")

    /// Parses a whole set.
    package static func parseSet(_ payload: [UInt8], topic: String) -> GeofenceMessage {
        guard !payload.isEmpty else { return .withdrawn }
        var (set, problems) = (GeofenceSet(), GeofenceProblemList(topic: topic))
        do throws(JSONError) {
            var reader = GeofenceReader(payload)
            while let item = try reader.next() {
                switch item {
                case .geofence where reader.isSingleFeature: throw featureInsteadOfSet
                case .geofence(let fence): set.add(fence)
                case .problems(let more): problems.append(more)
                }
            }
        } catch {
            return .unreadable(error)
        }
        set.compact()
        return .set(set, problems)
    }

    /// Parses one fence. `null` withdraws it: a broker retains it, unlike an empty payload, for vehicles that are off.
    package static func parseFence(_ payload: [UInt8], identifier: String, topic: String) -> GeofenceMessage {
        if payload.count < 64 {
            var text = payload.filter { $0 > 0x20 }
            // Some programs write a byte order mark.
            if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
            if text.isEmpty || text == Array("null".utf8) { return .withdrawn }
        }
        guard payload.count <= maximumFenceBytes else {
            return .unreadable(
                JSONError(reason: "\(payload.count) bytes; one geofence has at most \(maximumFenceBytes)"))
        }
        var problems = GeofenceProblemList(topic: topic)
        do throws(JSONError) {
            var reader = GeofenceReader(payload, identifier: identifier)
            while let item = try reader.next() {
                switch item {
                case .geofence(let fence) where reader.isSingleFeature: return .fence(fence)
                case .geofence:
                    throw JSONError(line: 1, column: 1, reason: "write one Feature, not a collection")
                case .problems(let more): problems.append(more)
                }
            }
            if problems.count == 0 {
                throw JSONError(
                    line: 1, column: 1, reason: "an empty collection; write one Feature, or null to remove it")
            }
        } catch {
            return .unreadable(error)
        }
        return .refused(problems)
    }

    /// Returns a fence of the embedding program as if it had been a message, with the rings closed.
    /// - Throws: `ConfigurationError` with all mistakes.
    package static func validated(_ fence: Geofence) throws(ConfigurationError) -> Geofence {
        let origin = "geofence \(fence.identifier)"
        switch parseFence(GeofenceWriter.feature(fence), identifier: fence.identifier, topic: origin) {
        case .fence(let read): return read
        case .refused(let problems):
            let issues = problems.errors.map {
                ConfigurationIssue(path: $0.path, value: $0.value, problem: $0.message)
            }
            throw ConfigurationError(origin: origin, issues: issues)
        case .unreadable(let error): throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(error)])
        case .withdrawn, .set: preconditionFailure("a Feature is neither empty nor a set")
        }
    }
}
