/// The actions of commands. The raw value is the name in a message, as in `config/schemas/command.schema.json`.
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

    /// Whether the action changes and records nothing, so that it may be repeated.
    package var isReadOnly: Bool {
        switch self {
        case .getStatus, .getLocations, .getTimeline, .getTimelineUpdates, .getOdometer, .getConfiguration,
            .getGeofences:
            true
        case .getCurrentPosition, .setOdometer, .setExtras, .flush: false
        }
    }

    /// The names of all actions.
    package static let names = allCases.map(\.rawValue)
}
