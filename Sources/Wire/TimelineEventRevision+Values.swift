extension TimelineEventRevision {
    /// A kind of timeline event.
    public struct Kind: OpenEnumeration {
        /// A stop.
        public static let stationary = Self(rawValue: "STATIONARY")
        /// A trip, or a part of a trip with one transport mode.
        public static let inTransport = Self(rawValue: "IN_TRANSPORT")
        /// A time without positions.
        public static let offTheGrid = Self(rawValue: "OFF_THE_GRID")
        /// There are too few positions to tell a stop from a trip.
        public static let unknown = Self(rawValue: "UNKNOWN")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.stationary, .inTransport, .offTheGrid, .unknown]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// A transport mode of a trip.
    public struct TransportMode: OpenEnumeration {
        /// A car, van or truck.
        public static let car = Self(rawValue: "CAR")
        /// A bus.
        public static let bus = Self(rawValue: "BUS")
        /// A train.
        public static let train = Self(rawValue: "TRAIN")
        /// A tram.
        public static let tram = Self(rawValue: "TRAM")
        /// A motorcycle.
        public static let motorcycle = Self(rawValue: "MOTORCYCLE")
        /// A bicycle.
        public static let bicycle = Self(rawValue: "BICYCLE")
        /// A walk.
        public static let walking = Self(rawValue: "WALKING")
        /// A run.
        public static let running = Self(rawValue: "RUNNING")
        /// The mode is not known, or not known yet.
        public static let unknown = Self(rawValue: "UNKNOWN")

        /// The values that this version knows.
        public static let knownValues: [Self] = [
            .car, .bus, .train, .tram, .motorcycle, .bicycle, .walking, .running, .unknown,
        ]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// A reason for a time without positions.
    public struct GapReason: OpenEnumeration {
        /// The receiver had no position.
        public static let noFix = Self(rawValue: "no_fix")
        /// The source of positions, or its receiver, was not reachable.
        public static let sourceLost = Self(rawValue: "source_lost")
        /// The schedule was closed.
        public static let offSchedule = Self(rawValue: "off_schedule")
        /// Tracking was turned off.
        public static let disabled = Self(rawValue: "disabled")
        /// The machine or the agent was off.
        public static let powerOff = Self(rawValue: "power_off")
        /// There was no trusted time.
        public static let clockUntrusted = Self(rawValue: "clock_untrusted")

        /// The values that this version knows.
        public static let knownValues: [Self] = [
            .noFix, .sourceLost, .offSchedule, .disabled, .powerOff, .clockUntrusted,
        ]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
