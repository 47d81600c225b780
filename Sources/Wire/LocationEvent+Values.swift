extension LocationEvent {
    /// The cause of a location record.
    public struct Cause: OpenEnumeration {
        /// The vehicle began to move, or became stationary.
        public static let motionChange = Self(rawValue: "motionchange")
        /// The position source became available or unavailable.
        public static let providerChange = Self(rawValue: "providerchange")
        /// A geofence event.
        public static let geofence = Self(rawValue: "geofence")
        /// An event of the driving style.
        public static let driving = Self(rawValue: "driving")
        /// A named beacon came aboard or left.
        public static let beacon = Self(rawValue: "beacon")
        /// No record was made for the heartbeat interval.
        public static let heartbeat = Self(rawValue: "heartbeat")
        /// The tracking schedule opened or closed.
        public static let schedule = Self(rawValue: "schedule")

        /// The values that this version knows.
        public static let knownValues: [Self] = [
            .motionChange, .providerChange, .geofence, .driving, .beacon, .heartbeat, .schedule,
        ]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension ActivityReading {
    /// A kind of movement.
    public struct Kind: OpenEnumeration {
        /// The device does not move.
        public static let still = Self(rawValue: "still")
        /// A person walks or runs.
        public static let onFoot = Self(rawValue: "on_foot")
        /// A person walks.
        public static let walking = Self(rawValue: "walking")
        /// A person runs.
        public static let running = Self(rawValue: "running")
        /// The device is in a motor vehicle.
        public static let inVehicle = Self(rawValue: "in_vehicle")
        /// The device is on a bicycle.
        public static let onBicycle = Self(rawValue: "on_bicycle")
        /// The agent cannot determine the movement.
        public static let unknown = Self(rawValue: "unknown")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.still, .onFoot, .walking, .running, .inVehicle, .onBicycle, .unknown]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension GeofenceTrigger {
    /// A kind of geofence event.
    public struct Action: OpenEnumeration {
        /// The vehicle entered, or was found inside.
        public static let enter = Self(rawValue: "ENTER")
        /// The vehicle left, or was found outside, or the geofence is gone.
        public static let exit = Self(rawValue: "EXIT")
        /// The visit has lasted for the loitering delay.
        public static let dwell = Self(rawValue: "DWELL")
        /// The route went through the geofence between two fixes.
        public static let cross = Self(rawValue: "CROSS")
        /// The vehicle was faster inside than the geofence allows.
        public static let overspeed = Self(rawValue: "OVERSPEED")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.enter, .exit, .dwell, .cross, .overspeed]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// A reason for an event without an observed crossing.
    public struct Reason: OpenEnumeration {
        /// The agent was started for the first time.
        public static let started = Self(rawValue: "started")
        /// The geofence is new.
        public static let created = Self(rawValue: "created")
        /// The geofence has another shape.
        public static let edited = Self(rawValue: "edited")
        /// The geofence is gone.
        public static let deleted = Self(rawValue: "deleted")
        /// The vehicle moved while the agent was off, or there were no positions.
        public static let moved = Self(rawValue: "moved")
        /// A schedule opened or closed: that of the geofence or that of tracking.
        public static let schedule = Self(rawValue: "schedule")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.started, .created, .edited, .deleted, .moved, .schedule]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
