/// What an agent can be told to do, each by its name on the wire. `config/schemas/command.schema.json` lists the same.
package enum CommandAction: String, CaseIterable, Sendable {
    case getStatus = "get_status"
    case getCurrentPosition = "get_current_position"
    case getLocations = "get_locations"
    case getTimeline = "get_timeline"
    case getTimelineUpdates = "get_timeline_updates"
    case getOdometer = "get_odometer"
    case setOdometer = "set_odometer"
    case setExtras = "set_extras"
    case getConfiguration = "get_configuration"
    case getGeofences = "get_geofences"
    case flush

    /// Whether it changes nothing and records nothing, so that it may be done twice.
    package var isReadOnly: Bool {
        switch self {
        case .getStatus, .getLocations, .getTimeline, .getTimelineUpdates, .getOdometer, .getConfiguration,
            .getGeofences:
            true
        case .getCurrentPosition, .setOdometer, .setExtras, .flush: false
        }
    }

    /// All names, for whoever must be told of them.
    package static let names = allCases.map(\.rawValue)
}
