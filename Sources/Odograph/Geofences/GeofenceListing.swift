import Geodesy
import Tracking
import Wire

/// A geofence in force, as `get_geofences` tells of it.
public struct ListedGeofence: Hashable, Sendable, Codable {
    /// What it is called.
    public var identifier: String
    /// What people call it.
    public var name: String?
    /// `circle`, `polygon` or `corridor`.
    public var kind: String
    /// What kind of place it is.
    public var significance: String?
    /// Where it came from: `all`, `group:<name>`, or the device's name.
    public var level: String
    /// Whether it came by itself, not in a whole set.
    public var isSingle: Bool
    /// Whether the vehicle is in it.
    public var isInside: Bool

    private enum CodingKeys: String, CodingKey {
        case identifier, name, kind, significance, level
        case isSingle = "single"
        case isInside = "inside"
    }
}

/// The geofences in force, or a page of them.
public struct GeofenceListing: Hashable, Sendable, Codable {
    /// How many there are.
    public var count: Int
    /// As in `reported`.
    public var hash: String
    /// The identifiers of those that the vehicle is in, ascending.
    public var inside: [String]
    /// They themselves, by their identifiers ascending.
    public var geofences: [ListedGeofence]
    /// Whether there are more behind the last one.
    public var more: Bool

    /// - Parameters:
    ///   - after: only identifiers behind this one, by their bytes.
    ///   - limit: so many at most.
    init(_ levels: GeofenceLevels, address: DeviceAddress, inside: [String], after: String?, limit: Int) {
        let set = levels.inForce
        var slots: [(identifier: String, slot: FenceIndex.Slot)] = []
        set.forEachSlot { slot in
            guard let identifier = set.identifier(slot) else { return }
            if let after, !after.utf8.lexicographicallyPrecedes(identifier.utf8) { return }
            slots.append((identifier, slot))
        }
        slots.sort { $0.identifier.utf8.lexicographicallyPrecedes($1.identifier.utf8) }
        let within = Set(inside)
        count = set.count
        hash = GeofenceDesk.hash(of: set)
        self.inside = inside
        more = slots.count > limit
        geofences = slots.prefix(limit).map { identifier, slot in
            let rule = set.rule(slot)
            let layer = levels.layer(ofSlot: slot)
            return ListedGeofence(
                identifier: identifier, name: rule?.name, kind: set.index.kindInWords(slot) ?? "",
                significance: rule?.significance, level: layer.map { address.name(of: $0.level) } ?? "",
                isSingle: layer?.isSingle ?? false, isInside: within.contains(identifier))
        }
    }

    /// A table for a person.
    public var text: String {
        guard count > 0 else { return "no geofences are in force\n" }
        let columns = [
            TextColumn("GEOFENCE", width: 24), TextColumn("KIND", width: 8), TextColumn("FROM", width: 16),
            TextColumn("NAME", width: 24),
        ]
        var text = "\(Text.count(count, "geofence", "geofences")) in force, set \(hash)\n"
        text += inside.isEmpty ? "inside none of them\n" : "inside: \(inside.joined(separator: ", "))\n"
        text += TextColumn.line(columns.map(\.title), columns)
        for fence in geofences {
            let from = fence.level + (fence.isSingle ? " (single)" : "")
            text += TextColumn.line([fence.identifier, fence.kind, from, fence.name ?? ""], columns)
        }
        return text
    }

    /// All of it for a program.
    public func json() throws -> String { try JSONText.pretty(self) + "\n" }
}

extension LocalAgent {
    /// The geofences in force, and those that the vehicle is in.
    /// - Throws: ``ControlError``, ``Failure``, `StoreError`.
    public func geofences() async throws -> GeofenceListing {
        do {
            var listing = try await page(after: nil)
            while listing.more, let last = listing.geofences.last {
                let next = try await page(after: last.identifier)
                listing.geofences += next.geofences
                listing.more = next.more
            }
            return listing
        } catch let error as ControlError {
            let (stored, configuration) = try await storedAgent(unless: error)
            return try await stored.geofences(configuration)
        }
    }

    private func page(after identifier: String?) async throws -> GeofenceListing {
        var parameters: [String: JSONValue] = ["limit": .integer(10_000)]
        parameters["after"] = identifier.map { .string($0) }
        let answer = JSONValue.object(try await ask(.getGeofences, parameters))
        return try JSONText.decode(GeofenceListing.self, from: answer)
    }
}

extension StoredAgent {
    /// What the last run left. Which of them the vehicle is in is told by where it was last.
    func geofences(_ configuration: AgentConfiguration) async throws -> GeofenceListing {
        let files = GeofenceArchive(besideStore: path)
        var desk = GeofenceDesk(address: configuration.address, groups: configuration.groups)
        do throws(GeofenceArchive.Fault) {
            if let newest = try files.generations().first { try desk.restore(newest, files) }
        } catch {
            throw Failure(.dataError, "\(error)")
        }
        var inside: [String] = []
        if let place = try await tracker()?.lastFix?.coordinate {
            desk.inForce.index.forEachContaining(place) { slot in
                if let identifier = desk.inForce.identifier(slot) { inside.append(identifier) }
            }
        }
        return GeofenceListing(
            desk.levels, address: configuration.address, inside: inside.sorted(), after: nil, limit: .max)
    }
}

extension CommandDesk {
    /// Answers `get_geofences`: `limit`, `after`.
    func geofences(_ request: CommandRequest) async throws -> CommandResponse {
        let limit = try request.number("limit", default: 1000, in: 1...10_000)
        var after: String?
        switch request.parameters["after"] {
        case nil, .null?: break
        case .string(let identifier)?: after = identifier
        default: throw CommandRefusal(sentence: "\"after\" must be an identifier, the last of the page before")
        }
        let listing = GeofenceListing(
            await parts.geofences.levels, address: configuration.address,
            inside: await parts.recorder.geofencesInside, after: after, limit: Int(limit))
        return request.success(try JSONText.members(of: listing))
    }
}
