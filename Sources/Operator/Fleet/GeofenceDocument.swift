import Odograph
import OdographJSON
import OdographTerminal

/// A complete set of geofences as GeoJSON, in which single ones can be changed. The other ones stay as they are
/// written.
package struct GeofenceDocument {
    /// The members beside the features.
    private var members: [String: JSONValue] = ["type": .string("FeatureCollection")]
    /// The features, in their order.
    private var features: [JSONValue] = []

    /// Reads a document.
    /// - Parameters:
    ///   - document: GeoJSON; nil or empty for an empty set. A single Feature is a set of one.
    ///   - origin: Its name in error messages.
    /// - Throws: `ExitError` if it is neither a FeatureCollection nor a Feature.
    package init(_ document: [UInt8]?, origin: String) throws(ExitError) {
        guard let document, !document.isEmpty else { return }
        guard case .object(let members)? = try? JSONCoder.decode(JSONValue.self, from: document) else {
            throw ExitError(.dataError, "\(origin): no GeoJSON")
        }
        if case .array(let features)? = members["features"] {
            (self.members, self.features) = (members, features)
        } else if members["type"] == .string("Feature") {
            features = [.object(members)]
        } else {
            throw ExitError(.dataError, "\(origin): neither a FeatureCollection nor a Feature of GeoJSON")
        }
    }

    /// The identifiers of the geofences, in their order.
    package var identifiers: [String] { features.compactMap(Self.identifier) }

    /// Adds geofences. One with a known identifier takes the place of the known one.
    package mutating func add(_ other: GeofenceDocument) {
        for feature in other.features {
            let identifier = Self.identifier(feature)
            if let index = features.firstIndex(where: { Self.identifier($0) == identifier }) {
                features[index] = feature
            } else {
                features.append(feature)
            }
        }
    }

    /// Removes a geofence.
    /// - Returns: Whether there was one with the identifier.
    package mutating func remove(_ identifier: String) -> Bool {
        let count = features.count
        features.removeAll { Self.identifier($0) == identifier }
        return features.count < count
    }

    /// The document, strict JSON.
    package func bytes() throws(ExitError) -> [UInt8] {
        var members = members
        members["features"] = .array(features)
        do { return try JSONCoder.bytes(of: JSONValue.object(members)) } catch {
            throw ExitError(.software, "\(error)")
        }
    }

    /// Returns the identifier of a feature: `properties.identifier`, else `id`, as a vehicle reads it.
    private static func identifier(_ feature: JSONValue) -> String? {
        // A vehicle skips what is null.
        let identifier = [feature["properties"]?["identifier"], feature["id"]].compactMap { $0 }.first { $0 != .null }
        return switch identifier {
        case .string(let text)?: text
        case .integer(let number)?: "\(number)"
        default: nil
        }
    }
}
