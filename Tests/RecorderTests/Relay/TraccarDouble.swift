import OdographHarness
import OdographJSON
import OdographThreads

/// A double of Traccar's port for the protocol OsmAnd, as strict as its decoder for JSON.
///
/// Source: `decodeJson` of `OsmAndProtocolDecoder` in Traccar 6. A missing key, or a value of another type, is an
/// exception there; an unknown device is answered with 404.
final class TraccarDouble: Sendable {
    /// An accepted position.
    struct Position: Hashable, Sendable {
        var device: String
        var timestamp: String
        var latitude: Double
        var longitude: Double
        var altitude: Double
    }

    let service: StubWebService
    private let accepted = Lock<[Position]>([])

    /// - Parameters:
    ///   - port: The port; nil for a free one.
    ///   - devices: The known devices; nil if all are.
    init(port: UInt16? = nil, devices: Set<String>? = nil) throws {
        service = try StubWebService(port: port)
        service.setAnswer { [weak self] request in
            StubWebService.Answer(self?.answer(request, devices: devices) ?? 500)
        }
    }

    /// The accepted positions in the order of their arrival.
    var positions: [Position] { accepted.withLock { $0 } }

    /// The bodies of all requests.
    var bodies: [String] { service.requests.map(\.body) }

    private func answer(_ request: StubWebService.Request, devices: Set<String>?) -> Int {
        guard request.line.hasPrefix("POST "), request.headers["content-type"] == "application/json" else { return 400 }
        do throws(Violation) {
            let position = try Self.decode(request.body)
            if let devices, !devices.contains(position.device) { return 404 }
            accepted.withLock { $0.append(position) }
            return 200
        } catch {
            return 400
        }
    }

    /// An exception of the decoder.
    struct Violation: Error, Hashable {
        let description: String
    }

    /// Decodes a body.
    static func decode(_ body: String) throws(Violation) -> Position {
        guard let root = try? JSONCoder.decode(JSONValue.self, from: Array(body.utf8)) else {
            throw Violation(description: "not JSON")
        }
        let location = try member("location", of: root)
        let coords = try member("coords", of: location)
        // A value below zero means unknown, but the key must be there.
        for key in ["speed", "heading", "accuracy"] { _ = try number(key, of: coords) }
        let position = Position(
            device: try string("device_id", of: root), timestamp: try string("timestamp", of: location),
            latitude: try number("latitude", of: coords), longitude: try number("longitude", of: coords),
            altitude: try number("altitude", of: coords))
        guard position.timestamp.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/#) != nil
        else {
            throw Violation(description: "timestamp")
        }
        // Position.setLatitude and setLongitude throw for values that are not on the Earth.
        guard (-90...90).contains(position.latitude), (-180...180).contains(position.longitude) else {
            throw Violation(description: "not on the Earth")
        }
        guard case .object(let members) = location else { throw Violation(description: "location") }
        if members["event"] != nil { _ = try string("event", of: location) }
        if members["odometer"] != nil { _ = try number("odometer", of: location) }
        for key in ["is_moving", "mock"] where members[key] != nil { try bool(key, of: location) }
        if let activity = members["activity"] { _ = try string("type", of: activity) }
        if let battery = members["battery"] {
            _ = try number("level", of: battery)
            try bool("is_charging", of: battery)
        }
        if members["alarm"] != nil { _ = try string("alarm", of: location) }
        if members["extras"] != nil {
            guard case .object = try member("extras", of: location) else { throw Violation(description: "extras") }
        }
        return position
    }

    private static func member(_ key: String, of value: JSONValue) throws(Violation) -> JSONValue {
        guard case .object(let members) = value, let member = members[key] else { throw Violation(description: key) }
        return member
    }

    private static func number(_ key: String, of value: JSONValue) throws(Violation) -> Double {
        switch try member(key, of: value) {
        case .integer(let number): return Double(number)
        case .number(let number): return number
        case .null, .bool, .string, .array, .object: throw Violation(description: key)
        }
    }

    private static func string(_ key: String, of value: JSONValue) throws(Violation) -> String {
        guard case .string(let text) = try member(key, of: value) else { throw Violation(description: key) }
        return text
    }

    private static func bool(_ key: String, of value: JSONValue) throws(Violation) {
        guard case .bool = try member(key, of: value) else { throw Violation(description: key) }
    }
}
