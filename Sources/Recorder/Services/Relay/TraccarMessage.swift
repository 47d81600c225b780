import OdographJSON

/// A location record as Traccar's decoder of the protocol OsmAnd reads it.
///
/// The decoder requires the keys `accuracy`, `speed`, `heading` and `altitude` of `coords`, and of a battery `level`
/// and `is_charging`. Each value it requires is a number or, for the last one, a truth value. A negative speed, heading
/// or accuracy, and the altitude 0, are what it has without a value.
enum TraccarMessage {
    /// The numbers that the decoder requires in `coords`, each with the value for "unknown".
    private static let required: [(key: String, unknown: JSONValue)] = [
        ("accuracy", .integer(-1)), ("speed", .integer(-1)), ("heading", .integer(-1)), ("altitude", .integer(0)),
    ]

    /// Returns the body of a request; nil for a record without a position.
    /// - Parameters:
    ///   - payload: The payload that the vehicle published.
    ///   - identifier: The identifier of the vehicle at Traccar. That in the payload is not protected by the broker.
    static func body(of payload: String, identifier: String) -> [UInt8]? {
        guard case .object(let message)? = try? JSONCoder.decode(JSONValue.self, from: Array(payload.utf8)),
            case .object(var location)? = message["location"], case .object(var coords)? = location["coords"],
            coords["latitude"]?.double != nil, coords["longitude"]?.double != nil
        else { return nil }
        for (key, unknown) in required where coords[key]?.double == nil { coords[key] = unknown }
        location["coords"] = .object(coords)
        if let battery = location["battery"], !battery.isCompleteBattery { location["battery"] = nil }
        let body = JSONValue.object(["device_id": .string(identifier), "location": .object(location)])
        return try? JSONCoder.bytes(of: body)
    }
}

extension JSONValue {
    /// Whether the value has both parts that Traccar requires of a battery.
    fileprivate var isCompleteBattery: Bool {
        guard case .bool? = self["is_charging"] else { return false }
        return self["level"]?.double != nil
    }
}
