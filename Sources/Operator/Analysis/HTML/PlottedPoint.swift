import OdographCivilTime
import OdographWire

/// The values of a location that the charts use.
struct PlottedPoint: Hashable, Sendable {
    let time: Timestamp
    let latitude: Double
    let longitude: Double
    /// In m/s; −1 if unknown.
    let speed: Double
    /// In metres.
    let odometer: Double
    let odometerError: Double

    init(_ location: LocationEvent) {
        time = location.timestamp
        latitude = location.coords.latitude
        longitude = location.coords.longitude
        speed = location.coords.speed
        odometer = location.odometer
        odometerError = location.odometerError
    }
}
