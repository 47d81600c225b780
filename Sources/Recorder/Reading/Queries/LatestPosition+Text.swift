import OdographJSON
import OdographTerminal

extension LatestPosition {
    private static let columns: [TextTable.Column] = [
        .init("fleet", dropOrder: 3), .init("device"), .init("state", dropOrder: 1),
        .init("last message (UTC)", dropOrder: 5), .init("position (UTC)", dropOrder: 2),
        .init("latitude", .right), .init("longitude", .right), .init("km/h", .right, dropOrder: 4),
    ]

    /// Returns a table with one line per vehicle.
    /// - Parameters:
    ///   - vehicles: The vehicles.
    ///   - width: The maximum number of characters per line, for which columns are dropped; nil: no limit.
    package static func table(_ vehicles: [LatestPosition], width: Int? = nil) -> String {
        TextTable(columns, rows: vehicles.map(\.cells)).text(width: width)
    }

    private var cells: [String] {
        [
            vehicle.fleet, vehicle.device, state ?? "", Self.clockText(lastSeen),
            position.map { $0.isUndated ? "date unknown" : Self.clockText($0.time) } ?? "",
            position?.latitude?.formatted(decimals: 5) ?? "", position?.longitude?.formatted(decimals: 5) ?? "",
            position?.speed.map { ($0 * 3.6).formatted(decimals: 1) } ?? "",
        ]
    }

    private static func clockText(_ time: String) -> String {
        time.prefix(19).split(separator: "T").joined(separator: " ")
    }

    /// Returns one JSON object per line: the vehicle, its state, and the payload of its newest position.
    package static func jsonLines(_ vehicles: [LatestPosition]) throws -> String {
        try vehicles.map { vehicle in
            var members: [String: JSONValue] = [
                "fleet": .string(vehicle.vehicle.fleet), "device": .string(vehicle.vehicle.device),
                "last_seen": .string(vehicle.lastSeen),
            ]
            members["state"] = vehicle.state.map { .string($0) }
            if let position = vehicle.position {
                members["payload"] = try JSONCoder.decode(JSONValue.self, from: position.payload)
            }
            return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
        }.joined()
    }
}
