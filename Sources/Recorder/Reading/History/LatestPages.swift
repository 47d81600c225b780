import OdographJSON
import OdographWire

/// The vehicles of a fleet with their newest positions, ordered by name.
struct LatestPages: HistoryPages {
    /// The name of the last vehicle that an answer has.
    struct Place: Hashable {
        let device: String

        /// Reads the place of an answer.
        init(text: String) throws(HistoryRefusal) {
            guard let name = try? DeviceAddress.validated(text, part: "after") else { throw .wrongPlace }
            device = name
        }
    }

    private let fleet: String
    private let place: Place?
    /// The vehicles that no page has yet; nil before the first page.
    private var vehicles: ArraySlice<LatestPosition>?

    init(fleet: String, after place: Place?) {
        self.fleet = fleet
        self.place = place
    }

    var timeZone: String? { nil }

    mutating func read(from database: HistoryDatabase, limit: Int) throws -> HistoryPage {
        var rest: ArraySlice<LatestPosition>
        if let vehicles {
            rest = vehicles
        } else {
            let all = try database.latestPositions(fleet: fleet, hasPayload: false)
                .sorted { $0.vehicle.device < $1.vehicle.device }
            rest = all.drop { vehicle in place.map { vehicle.vehicle.device <= $0.device } ?? false }
        }
        let page = rest.prefix(limit)
        rest = rest.dropFirst(page.count)
        vehicles = rest
        return HistoryPage(
            rows: try page.map { try JSONCoder.bytes(of: $0.row) },
            next: rest.isEmpty ? nil : page.last?.vehicle.device)
    }
}

extension LatestPosition {
    /// The vehicle as a row of an answer.
    fileprivate var row: JSONValue {
        var members: [String: JSONValue] = [
            "device": .string(vehicle.device), "last_seen": .string(lastSeen),
        ]
        members["state"] = state.map { .string($0) }
        members["position"] = position.map(\.positionRow)
        return .object(members)
    }
}
