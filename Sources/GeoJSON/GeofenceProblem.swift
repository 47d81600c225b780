/// A problem of one geofence, or of a member beside the geofences. Other geofences are not affected.
public struct GeofenceProblem: Hashable, Sendable, CustomStringConvertible {
    /// The geofence's identifier; nil if it is missing or unreadable.
    public var identifier: String?
    /// The number of the feature in the document, from 1; 0 for the document itself.
    public let feature: Int
    /// The place in the document, `features[11].properties.radius`.
    public let path: String
    /// The line, from 1.
    public let line: Int
    /// The wrong value as JSON, shortened; nil for the whole feature.
    public let value: String?
    /// The problem and the remedy.
    public let reason: String

    /// Creates a problem from its parts.
    public init(identifier: String?, feature: Int, path: String, line: Int, value: String?, reason: String) {
        self.identifier = identifier
        self.feature = feature
        self.path = path
        self.line = line
        self.value = value
        self.reason = reason
    }

    /// The problem as text, `"depot" (line 12, features[11].properties.radius): … (found 3)`.
    public var description: String {
        let name = identifier.map { "\"\($0)\"" } ?? (feature == 0 ? "the document" : "feature \(feature)")
        let place = path.isEmpty ? "line \(line)" : "line \(line), \(path)"
        return "\(name) (\(place)): \(reason)" + (value.map { " (found \($0))" } ?? "")
    }
}
