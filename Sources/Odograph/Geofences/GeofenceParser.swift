import GeoJSON
import OdographJSON
import Tracking

/// What a message about geofences comes to.
enum GeofenceMessage: Sendable {
    /// The level has no whole set, or no such single fence, any more.
    case withdrawn
    /// A whole set, as far as its fences are good.
    case set(GeofenceSet, GeofenceProblemList)
    /// One fence.
    case fence(Geofence)
    /// Nothing that can be in force.
    case refused(GeofenceProblemList)
    /// No document at all.
    case unreadable(GeoJSONError)
}

/// Reads messages about geofences.
enum GeofenceParser {
    /// One fence has no more: a hundred thousand positions.
    static let maximumFenceBytes = 8 << 20

    /// A whole set.
    static func parseSet(_ payload: [UInt8], topic: String) -> GeofenceMessage {
        guard !payload.isEmpty else { return .withdrawn }
        var (set, problems) = (GeofenceSet(), GeofenceProblemList(topic: topic))
        do throws(GeoJSONError) {
            var reader = GeofenceReader(payload)
            while let item = try reader.next() {
                switch item {
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

    /// One fence. `null` says that it is gone: unlike an empty payload a broker keeps that for vehicles that are off.
    static func parseFence(_ payload: [UInt8], identifier: String, topic: String) -> GeofenceMessage {
        if payload.count < 64, payload.filter({ $0 > 0x20 }).isEmpty || isNull(payload) { return .withdrawn }
        guard payload.count <= maximumFenceBytes else {
            return .unreadable(
                GeoJSONError(reason: "\(payload.count) bytes; one fence has at most \(maximumFenceBytes)"))
        }
        var problems = GeofenceProblemList(topic: topic)
        do throws(GeoJSONError) {
            var reader = GeofenceReader(payload, identifier: identifier)
            while let item = try reader.next() {
                switch item {
                case .geofence(let fence) where reader.isSingleFeature: return .fence(fence)
                case .geofence:
                    throw GeoJSONError(line: 1, column: 1, reason: "a Feature was expected, not a collection")
                case .problems(let more): problems.append(more)
                }
            }
        } catch {
            return .unreadable(error)
        }
        return .refused(problems)
    }

    private static func isNull(_ payload: [UInt8]) -> Bool {
        payload.filter { $0 > 0x20 } == Array("null".utf8)
    }
}
