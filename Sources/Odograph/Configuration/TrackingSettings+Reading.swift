import OdographBeacons
import OdographJSON
import OdographModel
import OdographSettings
import OdographTracking
import OdographWire

extension TrackingSettings {
    /// The longest extras, bytes of JSON. With those of a command and of a geofence a record stays within its bound.
    private static let longestExtras = 64 << 10

    /// Reads the keys under `tracking`.
    package init(_ reader: inout SettingsReader) {
        self.init()
        core.isEnabled = reader.bool("enabled", default: core.isEnabled)
        core.desiredAccuracyMeters = reader.number(
            "desired_accuracy", default: core.desiredAccuracyMeters, in: 1...10_000, unit: "metres")
        core.heartbeatIntervalSeconds = reader.number(
            "heartbeat_interval", default: core.heartbeatIntervalSeconds, in: 1...604_800, allowsZero: true,
            unit: "seconds")
        core.providerChangeDelaySeconds = reader.number(
            "provider_change_delay", default: core.providerChangeDelaySeconds, in: 0...3600, unit: "seconds")
        schedule = TrackingSchedule(&reader)
        core.stationary = reader.object("stationary", StationaryRule.init)
        core.sampling = reader.object("sampling", SamplingRule.init)
        core.filter = reader.object("filter", FilterRule.init)
        core.timeline = reader.object("timeline", TimelineRule.init)
        let driving = reader.object("driving", DrivingRule.init)
        core.driving = reader.hasValue("driving") ? driving : nil
        beacons = reader.object("beacons", BeaconRule.init)
        commitIntervalSeconds = reader.number(
            "commit_interval", default: commitIntervalSeconds, in: 0...3600, unit: "seconds")
        retentionSeconds = reader.number(
            "retention", default: retentionSeconds, in: 0...315_360_000, unit: "seconds")
        delivery = DeliverySettings(&reader)
        encoding = EncodingSettings(&reader)
        monthlyBudget = reader.object("monthly_budget", MonthlyBudget.init)
        if case .object(let members)? = reader.value("extras") {
            extras = members
            // A record has them, and those of a command and of a geofence, which are bounded too.
            if (try? JSONCoder.bytes(of: members).count) ?? 0 > Self.longestExtras {
                reader.reject("extras", "longer than \(Self.longestExtras) bytes as JSON; write less")
            }
        } else if reader.hasValue("extras") {
            reader.reject("extras", "write an object, { key: value, … }")
        }
    }
}

extension StationaryRule {
    package init(_ reader: inout SettingsReader) {
        self.init()
        distanceMeters = reader.number("distance", default: distanceMeters, in: 10...10_000, unit: "metres")
        intervalSeconds = reader.number("interval", default: intervalSeconds, in: 10...3600, unit: "seconds")
        speedMetersPerSecond = reader.number(
            "speed", default: speedMetersPerSecond, in: 0.1...10, unit: "metres per second")
    }
}

extension SamplingRule {
    package init(_ reader: inout SettingsReader) {
        self.init()
        minimumIntervalSeconds = reader.number(
            "minimum_interval", default: minimumIntervalSeconds, in: 0...3600, unit: "seconds")
        distanceMeters = reader.number("distance", default: distanceMeters, in: 1...100_000, unit: "metres")
        headingDegrees = reader.number("heading", default: headingDegrees, in: 1...180, unit: "degrees")
        maximumIntervalSeconds = reader.number(
            "maximum_interval", default: maximumIntervalSeconds, in: 1...86_400, unit: "seconds")
        recordsHalts = reader.bool("halts", default: recordsHalts)
        if maximumIntervalSeconds < minimumIntervalSeconds {
            reader.reject(
                "maximum_interval",
                "must not be shorter than minimum_interval, which is \(minimumIntervalSeconds) seconds")
        }
    }
}

extension FilterRule {
    package init(_ reader: inout SettingsReader) {
        self.init()
        maximumSpeedMetersPerSecond = reader.number(
            "maximum_speed", default: maximumSpeedMetersPerSecond, in: 5...400, unit: "metres per second")
        maximumAgeSeconds = reader.number("maximum_age", default: maximumAgeSeconds, in: 1...3600, unit: "seconds")
    }
}

/// The values of the key `vehicle`: the transport modes of the events, and `auto` to detect the mode.
private enum VehicleChoice: String, CaseIterable {
    case auto
    case car = "CAR"
    case bus = "BUS"
    case train = "TRAIN"
    case tram = "TRAM"
    case motorcycle = "MOTORCYCLE"
    case bicycle = "BICYCLE"
}

extension TimelineRule {
    package init(_ reader: inout SettingsReader) {
        self.init()
        updateIntervalSeconds = reader.number(
            "update_interval", default: updateIntervalSeconds, in: 1...86_400, unit: "seconds")
        shortestStopSeconds = reader.number(
            "shortest_stop", default: shortestStopSeconds, in: 0...3600, unit: "seconds")
        vehicle = TransportMode(rawValue: reader.choice("vehicle", default: VehicleChoice.auto).rawValue)
        gapSeconds = reader.number("gap", default: gapSeconds, in: 30...86_400, unit: "seconds")
        waypointToleranceMeters = reader.number(
            "waypoint_tolerance", default: waypointToleranceMeters, in: 0...1000, unit: "metres")
        maximumWaypoints = reader.integer("maximum_waypoints", default: maximumWaypoints, in: 2...1000, unit: "points")
    }
}

extension DrivingRule {
    package init(_ reader: inout SettingsReader) {
        self.init()
        let (range, unit) = (0.1...1.2, "units of standard gravity")
        accelerationG = reader.number("acceleration", default: accelerationG, in: range, unit: unit)
        brakingG = reader.number("braking", default: brakingG, in: range, unit: unit)
        corneringG = reader.number("cornering", default: corneringG, in: range, unit: unit)
        let idling = reader.number("idling", default: 0, in: 0...86_400, unit: "seconds")
        idlingSeconds = idling > 0 ? idling : nil
        let limit = reader.number("speed_limit", default: 0, in: 0...200, unit: "metres per second")
        speedLimitMetersPerSecond = limit > 0 ? limit : nil
    }

    /// The rule as the value of the key `driving`, defaults included.
    package var document: JSONValue {
        .object([
            "acceleration": .number(accelerationG), "braking": .number(brakingG), "cornering": .number(corneringG),
            "idling": .number(idlingSeconds ?? 0), "speed_limit": .number(speedLimitMetersPerSecond ?? 0),
        ])
    }
}
