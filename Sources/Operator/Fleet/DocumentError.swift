import Odograph
import OdographJSON
import OdographWire

/// An error that a vehicle reports in a configuration or in a geofence.
public struct DocumentError: Hashable, Sendable {
    /// The topic of the document.
    public var topic: String
    /// The geofence; nil for a configuration, for a geofence without an identifier and for a whole document.
    public var identifier: String?
    /// The place in the document; empty for the whole document.
    public var path: String
    /// The wrong value, shortened; nil if there is none.
    public var value: String?
    /// The problem and the remedy.
    public var message: String

    init(_ error: ReportedConfigurationError) {
        (topic, path, value, message) = (error.topic, error.path, error.value, error.message)
        isOfGeofences = false
    }

    init(_ error: ReportedGeofenceError) {
        (topic, identifier, path) = (error.topic, error.identifier, error.path)
        (value, message) = (error.value, error.message)
        isOfGeofences = true
    }

    /// Whether the document contains geofences.
    let isOfGeofences: Bool

    /// Whether the document is of a level.
    func isOf(_ level: String) -> Bool { topic.contains("/\(level)/") }

    /// The place, the problem and the value: `school, features[0].properties.radius: … (found 3)`.
    var detail: String {
        let place = [identifier ?? "", path].filter { !$0.isEmpty }.joined(separator: ", ")
        return (place.isEmpty ? "" : "\(place): ") + message + (value.map { " (found \($0))" } ?? "")
    }

    /// The document, and ``detail``: `all/geofences: school: …`.
    public var text: String {
        // The root and the fleet are the same for all.
        "\(topic.split(separator: "/").dropFirst(2).joined(separator: "/")): \(detail)"
    }

    /// The error as JSON. Unknown values are null.
    var jsonValue: JSONValue {
        .object([
            "topic": .string(topic), "identifier": .stringOrNull(identifier), "path": .string(path),
            "value": .stringOrNull(value), "message": .string(message),
        ])
    }
}

extension DocumentError {
    /// The names of vehicles that a line has at most.
    private static let maximumNames = 3

    /// Returns one line for each different error, with the vehicles that report it: one wrong document is one line,
    /// also in a fleet of thousands.
    /// - Parameters:
    ///   - vehicles: The vehicles with their errors, in the order of the names.
    ///   - describe: The text of an error.
    static func lines(
        _ vehicles: some Sequence<(name: String, errors: [DocumentError])>, _ describe: (DocumentError) -> String
    ) -> [String] {
        var (order, names): ([String], [String: [String]]) = ([], [:])
        for (name, errors) in vehicles {
            for text in errors.map(describe) {
                if names[text] == nil { order.append(text) }
                if names[text]?.last != name { names[text, default: []].append(name) }
            }
        }
        return order.map { text in
            let names = names[text] ?? []
            let rest = names.count - maximumNames
            let more = rest > 0 ? " and \(rest) more" : ""
            return "refused by \(names.prefix(maximumNames).joined(separator: ", "))\(more): \(text)"
        }
    }
}

extension ReportedMessage {
    /// The errors in configurations and in geofences.
    var documentErrors: [DocumentError] {
        errors.map { DocumentError($0) } + geofences.errors.map { DocumentError($0) }
    }
}
