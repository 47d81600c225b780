import CivilTime
import Geodesy

/// How a gpsd is reached and judged.
public struct GPSDSettings: Hashable, Sendable {
    /// Host name or address.
    public var host = "127.0.0.1"
    /// TCP port.
    public var port: UInt16 = 2947
    /// The receiver to listen to, as gpsd names it (`/dev/ttyUSB0`); nil for the first that gives a position, and another
    /// one when it falls silent.
    public var device: String?
    /// A receiver that reports nothing for this long counts as lost, seconds. gpsd reports once a second.
    public var silenceTimeoutSeconds = 10.0
    /// The upper bound of the first wait before connecting anew, seconds; it doubles with each failure.
    public var minimumReconnectSeconds = 1.0
    /// The upper bound of every such wait, seconds. Short, since the daemon is on the same machine as a rule.
    public var maximumReconnectSeconds = 30.0
    /// Whether the agent may change how often the receiver reports. Off unless asked for: it changes it for every other
    /// program that uses the gpsd.
    public var changesReceiverRate = false
    /// Seconds between two positions that a moving vehicle asks for, where ``changesReceiverRate``.
    public var movingCycleSeconds = 1.0
    /// Seconds between two positions that a standing vehicle asks for, where ``changesReceiverRate``.
    public var stationaryCycleSeconds = 5.0
    /// Seconds between two positions that are asked for while the vehicle stands; 0 to listen to all of them. gpsd and the
    /// receiver go on as they were, and so does every other program.
    public var stationaryPollSeconds = 0.0
    /// A date before this one is taken for a week rollover and moved by 1024 weeks; nil to take dates as they are. Right
    /// is the day on which the agent was built: no true position is older.
    public var earliestDate: Timestamp?

    /// A gpsd on this machine, on its usual port.
    public init() {}
}

/// What a recorded drive is played from, and how fast.
public struct ReplaySettings: Hashable, Sendable {
    /// A capture of gpsd's JSON (`gpspipe -w`) or a GPX file; which of them is seen from its content.
    public var path: String
    /// How many times faster than it was driven; 1 is real time, nil as fast as it is taken.
    public var speedFactor: Double?
    /// The longest pause of the capture that is waited for, seconds of the capture; a longer one is cut to this.
    public var maximumPauseSeconds = 3600.0
    /// The number of the last event that a former run has dealt with: the replay goes on behind it.
    public var resumeAfterOrdinal: Int64 = 0
    /// The receiver to listen to in a capture of several; nil for the first that gives a position.
    public var device: String?
    /// As ``GPSDSettings/silenceTimeoutSeconds``: after how long another receiver takes over.
    public var silenceTimeoutSeconds = 10.0
    /// As ``GPSDSettings/earliestDate``. nil unless set: a capture may well be older than the agent.
    public var earliestDate: Timestamp?

    /// - Parameters: as the properties of the same names.
    public init(path: String, speedFactor: Double? = nil, resumeAfterOrdinal: Int64 = 0) {
        self.path = path
        self.speedFactor = speedFactor
        self.resumeAfterOrdinal = resumeAfterOrdinal
    }
}

/// What the simulator drives.
public struct SimulatorSettings: Hashable, Sendable {
    /// Vehicles with different seeds drive different routes; the same seed makes the same drive.
    public var seed: UInt64
    /// Where the vehicle is parked at first. Latitudes beyond ±80° are moved to 80°: there are no roads.
    public var start: Coordinate
    /// When the drive begins; nil for the moment at which it is asked for.
    public var startTime: Timestamp?
    /// How long the vehicle is parked before it sets off, seconds, ≥ 0.
    public var parkedSeconds = 30.0
    /// How long the drive lasts, seconds of the drive; nil for ever.
    public var durationSeconds: Double?
    /// How many times faster than real time; nil as fast as it is taken.
    public var speedFactor: Double? = 1
    /// Positions a second, 0.01 to 20.
    public var rateHertz = 1.0
    /// As ``ReplaySettings/resumeAfterOrdinal``.
    public var resumeAfterOrdinal: Int64 = 0

    /// - Parameters: as the properties of the same names.
    public init(seed: UInt64, start: Coordinate) {
        self.seed = seed
        self.start = start
    }
}
