import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import OdographTracking

/// A seeded drive, at the end of which most parts of a tracker's state have a value.
enum StateScene: String, CaseIterable, Sendable {
    /// A second trip after a stop in a geofence; tracking is tagged, and the source is lost.
    case trip
    /// A stop in a geofence, with a position request and positions without a date.
    case stop

    static let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)

    static func geofences() throws -> GeofenceSet {
        var rule = GeofenceRule()
        rule.speedLimitMetersPerSecond = 8
        (rule.notifiesOnDwell, rule.loiteringDelaySeconds) = (true, 7200)
        let place = try place(metersEast: 7200)
        return GeofenceSet([
            Geofence(identifier: "yard", shape: .circle(try Circle(center: place, radiusMeters: 400)), rule: rule)
        ])
    }

    private static func place(metersEast meters: Double) throws -> Coordinate {
        guard let place = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37 + meters / 74_220) else {
            throw HarnessError("no place")
        }
        return place
    }

    /// The state at the end.
    func tracker() throws -> Tracker { try drive { _ in } }

    /// The states after all inputs.
    func trackers() throws -> [Tracker] {
        var all: [Tracker] = []
        all.append(try drive { all.append($0) })
        return all
    }

    private func drive(_ observe: (Tracker) -> Void) throws -> Tracker {
        var configuration = TrackingConfiguration()
        configuration.timeline.vehicle = .car
        var tracker = Tracker(
            configuration: configuration, seed: (1, 2), geofences: try Self.geofences(), zone: .utc)
        var random = SplitMix64(seed: 7)
        var (seconds, meters) = (0.0, 0.0)
        func clock() -> ClockReading {
            ClockReading(
                systemTime: Self.start.advanced(bySeconds: seconds), uptimeMilliseconds: Int64(seconds * 1000) + 60_000,
                isSystemTimeTrusted: true)
        }
        func fix(speed: Double) throws -> Fix {
            let noise = Double(Int.random(in: -20...20, using: &random)) / 10
            return Fix(
                timestamp: clock().systemTime, received: clock(),
                coordinate: try Self.place(metersEast: meters + noise), accuracyMeters: 5, speedMetersPerSecond: speed,
                speedAccuracyMetersPerSecond: 0.3, headingDegrees: speed > 0 ? 90 : nil, altitudeMeters: 171,
                ellipsoidalAltitudeMeters: 214, jammingLevel: 0.02)
        }
        func drive(fixes: Int, metersPerSecond speed: Double) throws {
            for _ in 0..<fixes {
                seconds += 20
                meters += speed * 20
                _ = tracker.handle(.fix(try fix(speed: speed)))
                observe(tracker)
            }
        }
        _ = tracker.handle(.started(at: clock(), boot: "4c7a"))
        _ = tracker.handle(.battery(Battery(level: 0.5, isCharging: true), at: clock()))
        try drive(fixes: 30, metersPerSecond: 12)
        try drive(fixes: 24, metersPerSecond: 0)
        var implausible = try fix(speed: 0)
        implausible.timestamp = implausible.timestamp.advanced(bySeconds: 1)
        implausible.received.systemTime = implausible.timestamp
        implausible.coordinate = try Self.place(metersEast: 90_000)
        _ = tracker.handle(.fix(implausible))
        _ = tracker.handle(
            .signals(
                VehicleSignals(
                    source: .j1939, received: clock(), wheelSpeedMetersPerSecond: 0, odometerMeters: 184_223_005,
                    isIgnitionOn: false, engineRevolutionsPerMinute: 0, batteryVolts: 12.4, fuelLevel: 0.5,
                    stateOfCharge: 0.25)))
        switch self {
        case .trip:
            _ = tracker.handle(.schedule(.closed(OffScheduleRule(mode: .tag, tag: "night")), at: clock()))
            try drive(fixes: 1, metersPerSecond: 6)
            try drive(fixes: 12, metersPerSecond: 15)
            _ = tracker.handle(.source(.lost, at: clock()))
        case .stop:
            _ = tracker.handle(.odometer(meters: 1_234_500, at: clock()))
            _ = tracker.handle(.positionRequest(PositionRequest(id: 9, samples: 5), at: clock()))
            try drive(fixes: 1, metersPerSecond: 0)
        }
        return tracker
    }
}
