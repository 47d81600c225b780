extension CommandRequest {
    /// An action of a command, as in `config/schemas/command.schema.json`.
    public struct Action: OpenEnumeration {
        /// Returns the status of the agent.
        public static let getStatus = Self(rawValue: "get_status")
        /// Takes samples and returns the best one.
        public static let getCurrentPosition = Self(rawValue: "get_current_position")
        /// Returns undelivered locations.
        public static let getLocations = Self(rawValue: "get_locations")
        /// Returns the events of a period.
        public static let getTimeline = Self(rawValue: "get_timeline")
        /// Returns the events that were revised after an instant.
        public static let getTimelineUpdates = Self(rawValue: "get_timeline_updates")
        /// Returns the odometer.
        public static let getOdometer = Self(rawValue: "get_odometer")
        /// Sets the odometer.
        public static let setOdometer = Self(rawValue: "set_odometer")
        /// Sets extras of every record.
        public static let setExtras = Self(rawValue: "set_extras")
        /// Sets the driver. Only for programs on the vehicle.
        public static let setDriver = Self(rawValue: "set_driver")
        /// Sets the tag of every record, or begins or ends private time. Only for programs on the vehicle.
        public static let setTag = Self(rawValue: "set_tag")
        /// Reports signals of the vehicle. Only for programs on the vehicle.
        public static let setSignals = Self(rawValue: "set_signals")
        /// Returns the configuration in force.
        public static let getConfiguration = Self(rawValue: "get_configuration")
        /// Returns the geofences in force.
        public static let getGeofences = Self(rawValue: "get_geofences")
        /// Commits and publishes what waits.
        public static let flush = Self(rawValue: "flush")
        /// Publishes status, report and position again, for clients whose broker gives them no retained messages.
        public static let rollCall = Self(rawValue: "roll_call")
        /// Makes a new key and asks for a certificate for it.
        public static let renewCertificate = Self(rawValue: "renew_certificate")

        /// The values that this version knows.
        public static let knownValues: [Self] = [
            .getStatus, .getCurrentPosition, .getLocations, .getTimeline, .getTimelineUpdates, .getOdometer,
            .setOdometer, .setExtras, .setDriver, .setTag, .setSignals, .getConfiguration, .getGeofences, .flush,
            .rollCall, .renewCertificate,
        ]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
