import OdographCivilTime
import OdographGeodesy

/// The connection to a gpsd, and the limits for its reports.
public struct GPSDSettings: Hashable, Sendable {
    /// Host name or address.
    public var host = "127.0.0.1"
    /// TCP port.
    public var port: UInt16 = 2947
    /// The path of the receiver to use, as in gpsd (`/dev/ttyUSB0`). Nil selects the first that gives a position, and
    /// another one if that receiver becomes silent.
    public var device: String?
    /// The silence after which a receiver counts as lost, seconds. gpsd reports once a second.
    public var silenceTimeoutSeconds = 10.0
    /// The upper bound of the first delay before connecting again, seconds. It doubles with each failure.
    public var minimumReconnectSeconds = 1.0
    /// The upper bound of all such delays, seconds. It is short, because gpsd is usually on the same machine.
    public var maximumReconnectSeconds = 30.0
    /// Whether the agent may change the receiver's rate, which affects every other program that uses the gpsd.
    public var changesReceiverRate = false
    /// Seconds between two positions while the vehicle moves, if ``changesReceiverRate`` is true.
    public var movingCycleSeconds = 1.0
    /// Seconds between two positions while the vehicle is stationary, if ``changesReceiverRate`` is true.
    public var stationaryCycleSeconds = 5.0
    /// Seconds between two polls while the vehicle is stationary; 0 to always use the stream. gpsd, the receiver and
    /// other programs are not affected.
    public var stationaryPollSeconds = 0.0
    /// The lower limit of true dates: the day on which the agent was built is a good value. Dates before it, or 1024
    /// weeks or more after it, are corrected for week rollovers, see ``WeekRollover``. Nil to accept all dates.
    public var earliestDate: Timestamp?

    /// Creates settings for a gpsd on this machine at its usual port.
    public init() {}
}

/// The settings of a replay.
public struct ReplaySettings: Hashable, Sendable {
    /// The path of a capture of gpsd's JSON (`gpspipe -w`) or of a GPX file. The content decides which of them it is.
    public var path: String
    /// The path of a log of the vehicle's bus (`candump -l`) from the same drive; nil for none. It may begin earlier
    /// and end later than the capture.
    public var vehicleLogPath: String?
    /// The speed relative to real time; nil for no pauses.
    public var speedFactor: Double?
    /// The longest pause, seconds of the capture. Longer pauses are shortened to this.
    public var maximumPauseSeconds = 3600.0
    /// The ordinal of the last event that an earlier run has processed. The replay continues after it.
    public var resumeAfterOrdinal: Int64 = 0
    /// The receiver to use in a capture of several; nil for the first that gives a position.
    public var device: String?
    /// The silence after which another receiver is used, as in ``GPSDSettings/silenceTimeoutSeconds``.
    public var silenceTimeoutSeconds = 10.0
    /// The lower limit of true dates, as in ``GPSDSettings/earliestDate``. Nil by default, because a capture may be
    /// older than the agent.
    public var earliestDate: Timestamp?

    /// Creates settings for a file.
    public init(path: String, speedFactor: Double? = nil, resumeAfterOrdinal: Int64 = 0) {
        self.path = path
        self.speedFactor = speedFactor
        self.resumeAfterOrdinal = resumeAfterOrdinal
    }
}

/// The settings of the simulator.
public struct SimulatorSettings: Hashable, Sendable {
    /// The seed. The same seed gives the same drive; other seeds give other routes.
    public var seed: UInt64
    /// The first parking position. Latitudes beyond ±80° are clamped to 80°.
    public var start: Coordinate
    /// The time of the first event; nil for the time at which events are requested.
    public var startTime: Timestamp?
    /// The time that the vehicle is parked before it departs, seconds, ≥ 0.
    public var parkedSeconds = 30.0
    /// The vehicle brakes hard before one of so many stops of a route, ≥ 1; nil: before none.
    public var harshStopInterval: Int?
    /// The length of the drive, seconds of the drive; nil for an endless drive.
    public var durationSeconds: Double?
    /// The speed relative to real time; nil for no pauses.
    public var speedFactor: Double? = 1
    /// Positions per second, 0.01 to 20.
    public var rateHertz = 1.0
    /// The ordinal after which the drive continues, as in ``ReplaySettings/resumeAfterOrdinal``.
    public var resumeAfterOrdinal: Int64 = 0

    /// The first parking position if there is no other: the middle of Madrid.
    public static let usualStart: Coordinate = {
        guard let coordinate = Coordinate(latitudeDegrees: 40.4168, longitudeDegrees: -3.7038) else {
            preconditionFailure("the place is on the ellipsoid")
        }
        return coordinate
    }()

    /// Creates settings with a seed and a position.
    public init(seed: UInt64, start: Coordinate) {
        self.seed = seed
        self.start = start
    }
}
