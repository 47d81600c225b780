import OdographGPX
import OdographGeodesy
import OdographModel

extension GPXPoint {
    /// Returns the fix.
    /// - Throws: The reason why there is none.
    func fix() throws(SkipReason) -> Fix {
        guard hasPosition else { throw .noPosition }
        guard let latitudeDegrees, let longitudeDegrees,
            let coordinate = Coordinate(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
        else { throw .badCoordinate }
        guard let timestamp else { throw hasTime ? .badTime : .noTime }
        return Fix(
            timestamp: timestamp, received: ClockReading(replayed: timestamp), coordinate: coordinate,
            accuracyMeters: accuracyMeters, speedMetersPerSecond: speedMetersPerSecond,
            headingDegrees: headingDegrees, altitudeMeters: altitudeMeters, isMock: true)
    }
}
