import CivilTime
import OdographJSON

/// The payload of the channels `location` and `geofence`: one location record of one device.
public struct LocationMessage: Hashable, Sendable, Codable {
    /// The device's name.
    public var deviceID: String
    /// The record.
    public var location: LocationEvent

    /// - Parameters: as the properties of the same names.
    public init(deviceID: String, location: LocationEvent) {
        self.deviceID = deviceID
        self.location = location
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case location
    }
}

/// A location record.
public struct LocationEvent: Hashable, Sendable, Codable {
    /// Unique identifier of the record, the same in every redelivery; absent on a sample.
    public var uuid: String?
    /// The run of `seq` that the record belongs to: a database that had to be begun anew begins a new one.
    public var epoch: Int64?
    /// The record's number on its device, over all kinds of record; strictly increasing within an epoch.
    public var seq: Int64?
    /// The receiver's time of the position.
    public var timestamp: Timestamp
    /// Present and true where nobody could tell when it was: `timestamp` is the earliest that it can have been.
    public var clockUntrusted: Bool?
    /// Milliseconds from `timestamp` to when the agent had it.
    public var age: Int64
    /// What triggered the record: `motionchange`, `providerchange`, `geofence`, `heartbeat` or `schedule`; absent on a
    /// plain one.
    public var event: String?
    /// Whether the vehicle was moving.
    public var isMoving: Bool
    /// Whether it is an intermediate sample. Samples are neither stored nor published.
    public var sample: Bool
    /// Whether the position was replayed or simulated.
    public var mock: Bool
    /// Distance since the odometer was last set, metres.
    public var odometer: Double
    /// The true distance is within ± this of `odometer` in 95 of 100 cases, metres.
    public var odometerError: Double
    /// Where, how fast and which way.
    public var coords: LocationCoordinates
    /// How the device was being moved.
    public var activity: ActivityReading
    /// The battery; absent where the machine has none.
    public var battery: BatteryReading?
    /// What happened with a geofence; present only when `event` is `geofence`.
    public var geofence: GeofenceTrigger?
    /// What the configuration, or whoever embeds the agent, hangs on every record.
    public var extras: [String: JSONValue]?
    /// The tag of trips made at this time.
    public var tag: String?

    /// - Parameters: as the properties of the same names.
    public init(
        uuid: String? = nil, epoch: Int64? = nil, seq: Int64? = nil, timestamp: Timestamp,
        clockUntrusted: Bool? = nil, age: Int64, event: String? = nil, isMoving: Bool, sample: Bool = false,
        mock: Bool = false, odometer: Double,
        odometerError: Double, coords: LocationCoordinates, activity: ActivityReading, battery: BatteryReading? = nil,
        geofence: GeofenceTrigger? = nil, extras: [String: JSONValue]? = nil, tag: String? = nil
    ) {
        self.uuid = uuid
        self.epoch = epoch
        self.seq = seq
        self.timestamp = timestamp
        self.clockUntrusted = clockUntrusted
        self.age = age
        self.event = event
        self.isMoving = isMoving
        self.sample = sample
        self.mock = mock
        self.odometer = odometer
        self.odometerError = odometerError
        self.coords = coords
        self.activity = activity
        self.battery = battery
        self.geofence = geofence
        self.extras = extras
        self.tag = tag
    }

    private enum CodingKeys: String, CodingKey {
        case uuid, epoch, seq, timestamp
        case clockUntrusted = "clock_untrusted"
        case age, event
        case isMoving = "is_moving"
        case sample, mock, odometer
        case odometerError = "odometer_error"
        case coords, activity, battery, geofence, extras, tag
    }
}

/// A position on the WGS84 ellipsoid and the movement there.
public struct LocationCoordinates: Hashable, Sendable, Codable {
    /// Degrees north, −90 to 90.
    public var latitude: Double
    /// Degrees east, −180 to 180.
    public var longitude: Double
    /// Radius that holds the true position in 95 of 100 cases, metres; −1 when the receiver does not know it.
    public var accuracy: Double
    /// Speed over ground, m/s; −1 when the receiver does not know it.
    public var speed: Double
    /// Direction of travel, degrees from true north, 0 up to 360; −1 when the receiver does not know it.
    public var heading: Double
    /// Height above mean sea level, metres; absent when the receiver does not know it.
    public var altitude: Double?
    /// Height above the ellipsoid, metres; absent when the receiver does not know it.
    public var ellipsoidalAltitude: Double?

    /// - Parameters: as the properties of the same names.
    public init(
        latitude: Double, longitude: Double, accuracy: Double, speed: Double, heading: Double,
        altitude: Double? = nil, ellipsoidalAltitude: Double? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.speed = speed
        self.heading = heading
        self.altitude = altitude
        self.ellipsoidalAltitude = ellipsoidalAltitude
    }

    private enum CodingKeys: String, CodingKey {
        case latitude, longitude, accuracy, speed, heading, altitude
        case ellipsoidalAltitude = "ellipsoidal_altitude"
    }
}

/// How a device is being moved.
public struct ActivityReading: Hashable, Sendable, Codable {
    /// `still`, `on_foot`, `walking`, `running`, `in_vehicle`, `on_bicycle` or `unknown`.
    public var type: String
    /// In how many of 100 such cases the type is right.
    public var confidence: Int

    /// - Parameters: as the properties of the same names.
    public init(type: String, confidence: Int) {
        self.type = type
        self.confidence = confidence
    }
}

/// The state of a battery.
public struct BatteryReading: Hashable, Sendable, Codable {
    /// Charge, 0 to 1.
    public var level: Double
    /// Whether external power feeds it.
    public var isCharging: Bool

    /// - Parameters: as the properties of the same names.
    public init(level: Double, isCharging: Bool) {
        self.level = level
        self.isCharging = isCharging
    }

    private enum CodingKeys: String, CodingKey {
        case level
        case isCharging = "is_charging"
    }
}
