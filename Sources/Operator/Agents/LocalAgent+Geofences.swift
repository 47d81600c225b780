import Odograph
import OdographGeodesy
import OdographJSON
import OdographModel
import OdographStore
import OdographTerminal
import OdographTracking
import OdographWire

/// Geofences of the agent on this machine.
extension LocalAgent {
    /// Returns the geofences in force, and those that contain the vehicle.
    /// - Throws: ``ControlError``, `ExitError`, `StoreError`.
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
            let (stored, configuration) = try await stoppedAgent(after: error)
            return try await stored.geofences(configuration)
        }
    }

    private func page(after identifier: String?) async throws -> GeofenceListing {
        var parameters: [String: JSONValue] = ["limit": .integer(10_000)]
        parameters["after"] = identifier.map { .string($0) }
        let answer = JSONValue.object(try await perform(.getGeofences, parameters))
        return try JSONCoder.decode(GeofenceListing.self, from: answer)
    }
}

extension StoppedAgent {
    /// Returns the geofences of the last run. Those that contain the vehicle are found from its last position.
    func geofences(_ configuration: AgentConfiguration) async throws -> GeofenceListing {
        let archive = GeofenceArchive(besideStore: path)
        let documents = try await store.contents().documents
        let groups = LevelChange.groups(
            in: documents[DocumentName.configuration(of: .device)].map { .found($0) } ?? .absent,
            address: configuration.address)
        var desk = GeofenceCatalog(address: configuration.address, groups: groups ?? configuration.groups)
        do throws(FileFault) {
            if let newest = try archive.generations().first { try desk.restore(newest, archive) }
        } catch {
            throw ExitError(.dataError, "\(error)")
        }
        var inside: [String] = []
        if let place = try await tracker()?.lastLocation?.fix.coordinate {
            desk.activeSet.index.forEachContaining(place) { slot in
                if let identifier = desk.activeSet.identifier(slot) { inside.append(identifier) }
            }
        }
        return GeofenceListing(
            desk.levels, address: configuration.address, inside: inside.sorted(), after: nil, limit: .max)
    }
}
