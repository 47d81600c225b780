import OdographJSON
import Wire

extension CommandHandler {
    /// Answers `get_geofences`: `limit`, `after`.
    func geofences(_ request: CommandRequest) async throws -> CommandResponse {
        let limit = try request.number("limit", default: 1000, in: 1...10_000)
        var after: String?
        switch request.parameters["after"] {
        case nil, .null?: break
        case .string(let identifier)?: after = identifier
        default: throw CommandError(message: "\"after\" must be an identifier, the last of the page before")
        }
        let listing = GeofenceListing(
            await parts.geofences.levels, address: configuration.address,
            inside: await parts.recorder.geofencesInside, after: after, limit: Int(limit))
        return request.success(try JSONCoder.members(of: listing))
    }
}
