import OdographCivilTime
import OdographJSON

/// The payload of the channels `location` and `geofence`: one location record.
public struct LocationMessage: Hashable, Sendable, Codable {
    /// The device's name.
    public var deviceID: String
    /// The record.
    public var location: LocationEvent

    /// Creates a message.
    public init(deviceID: String, location: LocationEvent) {
        self.deviceID = deviceID
        self.location = location
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case location
    }
}

/// A location record.
public struct LocationEvent: Hashable, Sendable, Codable {
    /// The unique identifier of the record, the same in every redelivery; absent in answers to commands.
    public var uuid: String?
    /// The epoch of `seq`. A new database begins a new epoch.
    public var epoch: Int64?
    /// The record's number, over all kinds of records of the device; strictly increasing within an epoch.
    public var seq: Int64?
    /// The receiver's time of the fix.
    public var timestamp: Timestamp
    /// True if the date of the fix is not known: `timestamp` is then the earliest possible time. Absent otherwise.
    public var clockUntrusted: Bool?
    /// True in the first record after the vehicle's state came back from an earlier time, or was lost. Absent
    /// otherwise.
    public var stateLost: Bool?
    /// Milliseconds from `timestamp` to the arrival of the fix; for a repeated fix, to the record.
    public var age: Int64
    /// The cause; absent for a plain record.
    public var event: Cause?
    /// Whether the vehicle was moving.
    public var isMoving: Bool
    /// Whether this is an intermediate sample of a position request. Samples are neither stored nor published.
    public var sample: Bool
    /// Whether the fix was replayed or simulated.
    public var mock: Bool
    /// Distance since the odometer was last set, metres.
    public var odometer: Double
    /// The error of `odometer`, metres: in 95 of 100 cases the true distance differs by at most this.
    public var odometerError: Double
    /// The position and the movement.
    public var coords: LocationCoordinates
    /// The activity: how the device is moved.
    public var activity: ActivityReading
    /// The battery that the machine runs on: its own, or else the vehicle's; absent if neither is known.
    public var battery: BatteryReading?
    /// The geofence event; present only if `event` is `geofence`.
    public var geofence: GeofenceTrigger?
    /// The event of the driving style; present only if `event` is `driving`.
    public var driving: DrivingReading?
    /// The change of a beacon; present only if `event` is `beacon`.
    public var beacon: BeaconReading?
    /// The names of the beacons that are aboard, ascending; absent if there is none.
    public var beacons: [String]?
    /// The extras of the configuration, a command or the embedding program.
    public var extras: [String: JSONValue]?
    /// The tag of records outside the schedule in mode `tag` (`tracking.off_schedule.tag`).
    public var tag: String?
    /// The values that the vehicle itself reports; absent if it reports nothing.
    public var vehicle: VehicleReading?
    /// The driver that a program on the vehicle has set (`set_driver`); absent if it has set none.
    public var driver: String?

    /// Creates a record from its parts.
    public init(
        uuid: String? = nil, epoch: Int64? = nil, seq: Int64? = nil, timestamp: Timestamp,
        clockUntrusted: Bool? = nil, stateLost: Bool? = nil, age: Int64, event: Cause? = nil, isMoving: Bool,
        sample: Bool = false,
        mock: Bool = false, odometer: Double,
        odometerError: Double, coords: LocationCoordinates, activity: ActivityReading, battery: BatteryReading? = nil,
        geofence: GeofenceTrigger? = nil, driving: DrivingReading? = nil, beacon: BeaconReading? = nil,
        beacons: [String]? = nil, extras: [String: JSONValue]? = nil, tag: String? = nil,
        vehicle: VehicleReading? = nil, driver: String? = nil
    ) {
        self.uuid = uuid
        self.epoch = epoch
        self.seq = seq
        self.timestamp = timestamp
        self.clockUntrusted = clockUntrusted
        self.stateLost = stateLost
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
        self.driving = driving
        self.beacon = beacon
        self.beacons = beacons
        self.extras = extras
        self.tag = tag
        self.vehicle = vehicle
        self.driver = driver
    }

    enum CodingKeys: String, CodingKey {
        case uuid, epoch, seq, timestamp
        case clockUntrusted = "clock_untrusted"
        case stateLost = "state_lost"
        case age, event
        case isMoving = "is_moving"
        case sample, mock, odometer
        case odometerError = "odometer_error"
        case coords, activity, battery, geofence, driving, beacon, beacons, extras, tag, vehicle, driver
    }
}

/// A position on the WGS84 ellipsoid, and the movement there.
public struct LocationCoordinates: Hashable, Sendable, Codable {
    /// Degrees north, −90 to 90.
    public var latitude: Double
    /// Degrees east, −180 to 180.
    public var longitude: Double
    /// The radius that contains the true position in 95 of 100 cases, metres; −1 if unknown.
    public var accuracy: Double
    /// Speed over ground, m/s; −1 if unknown.
    public var speed: Double
    /// Direction of travel, degrees from true north, 0 up to 360; −1 if unknown.
    public var heading: Double
    /// Height above mean sea level, metres; absent if unknown.
    public var altitude: Double?
    /// Height above the ellipsoid, metres; absent if unknown.
    public var ellipsoidalAltitude: Double?

    /// Creates coordinates from their parts.
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

    enum CodingKeys: String, CodingKey {
        case latitude, longitude, accuracy, speed, heading, altitude
        case ellipsoidalAltitude = "ellipsoidal_altitude"
    }
}

/// An activity: how a device is moved.
public struct ActivityReading: Hashable, Sendable, Codable {
    /// The kind of movement.
    public var type: Kind
    /// The number of cases, of 100 such cases, in which the type is right.
    public var confidence: Int

    /// Creates a reading.
    public init(type: Kind, confidence: Int) {
        self.type = type
        self.confidence = confidence
    }

    enum CodingKeys: String, CodingKey {
        case type, confidence
    }
}

/// The state of a battery.
public struct BatteryReading: Hashable, Sendable, Codable {
    /// Charge, 0 to 1.
    public var level: Double
    /// Whether external power charges the battery.
    public var isCharging: Bool

    /// Creates a reading.
    public init(level: Double, isCharging: Bool) {
        self.level = level
        self.isCharging = isCharging
    }

    enum CodingKeys: String, CodingKey {
        case level
        case isCharging = "is_charging"
    }
}
