import OdographGeodesy
import OdographJSON
import OdographModel
import OdographStore
import OdographTracking
import OdographWire

extension LocationEvent {
    /// Creates the wire form of a tracked location.
    /// - Parameters:
    ///   - identity: The record's identity in the store. nil for a sample or an unrecorded location.
    ///   - annotations: What the agent adds to the record.
    package init(
        _ location: Disclosed<TrackedLocation>, identity: RecordIdentity?, annotations: RecordAnnotations
    ) {
        let extras = annotations.extras
        self.init(
            uuid: identity?.uuid.description, epoch: identity?.epoch, seq: identity?.seq,
            timestamp: location.fix.timestamp, clockUntrusted: location.isClockUntrusted ? true : nil,
            stateLost: annotations.isAfterLoss ? true : nil, age: location.ageMilliseconds,
            event: location.cause.map(Cause.init),
            isMoving: location.isMoving, sample: location.isSample, mock: location.fix.isMock,
            odometer: location.odometerMeters.rounded(toDecimals: 1, as: .distance),
            odometerError: location.odometerErrorMeters.rounded(toDecimals: 1, as: .distance),
            coords: LocationCoordinates(location.fix),
            activity: ActivityReading(
                type: .init(location.activity.kind), confidence: location.activity.confidencePercent),
            battery: location.battery.map {
                BatteryReading(level: $0.level.rounded(toDecimals: 2, as: .charge), isCharging: $0.isCharging)
            },
            geofence: location.geofence.map(GeofenceTrigger.init),
            driving: location.driving.map(DrivingReading.init), beacon: location.beacon.map(BeaconReading.init),
            beacons: location.beacons, extras: extras.isEmpty ? nil : extras, tag: location.tag,
            vehicle: location.vehicle.map(VehicleReading.init),
            driver: annotations.driver(of: location))
    }
}

extension VehicleReading {
    /// Creates the wire form with only the decimals above the error of the signals.
    package init(_ status: VehicleStatus) {
        self.init(
            speed: status.wheelSpeedMetersPerSecond?.rounded(toDecimals: 2, as: .wheelSpeed),
            odometer: status.odometerMeters?.rounded(toDecimals: 0, as: .vehicleOdometer),
            ignition: status.isIgnitionOn,
            engineSpeed: status.engineRevolutionsPerMinute?.rounded(toDecimals: 0, as: .engineSpeed),
            batteryVoltage: status.batteryVolts?.rounded(toDecimals: 2, as: .batteryVoltage),
            fuelLevel: status.fuelLevel?.rounded(toDecimals: 3, as: .charge),
            stateOfCharge: status.stateOfCharge?.rounded(toDecimals: 3, as: .charge),
            source: Source(rawValue: status.source.rawValue), age: status.ageMilliseconds)
    }
}

extension LocationCoordinates {
    /// Creates coordinates with only the decimals above a receiver's noise: 1 cm, 1 cm/s, a tenth of a degree.
    package init(_ fix: Fix) {
        self.init(
            latitude: fix.coordinate.latitudeDegrees.rounded(toDecimals: 7),
            longitude: fix.coordinate.longitudeDegrees.rounded(toDecimals: 7),
            accuracy: fix.accuracyMeters?.rounded(toDecimals: 1, as: .accuracy) ?? -1,
            speed: fix.speedMetersPerSecond?.rounded(toDecimals: 2, as: .speed) ?? -1,
            heading: fix.headingDegrees?.rounded(toDecimals: 1, as: .direction) ?? -1,
            altitude: fix.altitudeMeters?.rounded(toDecimals: 1, as: .altitude),
            ellipsoidalAltitude: fix.ellipsoidalAltitudeMeters?.rounded(toDecimals: 1, as: .altitude))
    }
}

extension Double {
    /// Returns the nearest value with some number of decimals, 0 to 9. Returns the value itself if it is too large to
    /// have any.
    package func rounded(toDecimals decimals: Int) -> Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (self * scale).rounded()
        // From 2⁵³ on a double has no fraction, and much larger ones would overflow when scaled.
        return abs(scaled) < 9_007_199_254_740_992 ? scaled / scale : self
    }

    /// Returns the nearest valid value of a quantity with some number of decimals. NaN becomes the lowest valid value.
    package func rounded(toDecimals decimals: Int, as quantity: ValidRange) -> Double {
        (quantity.clamped(self) ?? quantity.range.lowerBound).rounded(toDecimals: decimals)
    }
}
