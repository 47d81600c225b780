import Odograph
import OdographJSON
import OdographOperator

extension LatestPosition {
    private static let columns = [
        TextColumn("fleet", width: 10), TextColumn("device", width: 16), TextColumn("state", width: 7),
        TextColumn("last message (UTC)", width: 19), TextColumn("position (UTC)", width: 19),
        TextColumn("latitude", width: 10, .right), TextColumn("longitude", width: 11, .right),
        TextColumn("km/h", width: 6, .right),
    ]

    /// Returns a table with one line per vehicle.
    package static func table(_ vehicles: [LatestPosition]) -> String {
        vehicles.reduce(TextColumn.line(columns.map(\.title), columns)) { $0 + TextColumn.line($1.cells, columns) }
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
