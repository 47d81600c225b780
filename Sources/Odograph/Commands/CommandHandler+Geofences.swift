import OdographJSON
import OdographWire

extension CommandHandler {
    /// Responds to `get_geofences` with the parameters `limit` and `after`.
    func geofences(_ request: CommandRequest) async throws -> CommandResponse {
        let limit = try request.number("limit", default: 1000, in: 1...10_000)
        var after: String?
        switch request.parameters["after"] {
        case nil, .null?: break
        case .string(let identifier)?: after = identifier
        default: throw CommandError(message: "\"after\" must be the last identifier of the previous page")
        }
        let listing = GeofenceListing(
            await geofences.levels, address: configuration.address,
            inside: await pipeline.geofencesInside, after: after, limit: Int(limit))
        return request.success(try JSONCoder.members(of: listing))
    }
}
