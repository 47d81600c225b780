/// The valid range of a measured quantity, for all sources and records.
///
/// A value outside the range is a fault of a receiver, a file or a network. It becomes unknown or is clamped when it is
/// read. So no such value is ever used, stored or published.
public struct ValidRange: Hashable, Sendable {
    /// The valid values, both bounds included.
    public let range: ClosedRange<Double>

    private init(_ range: ClosedRange<Double>) {
        self.range = range
    }

    /// The height above mean sea level or above the ellipsoid, metres. Civil receivers work up to 18 km (the limit of
    /// export licences), and some on balloons up to 50 km; the deepest sea floor is at −11 km.
    public static let altitude = ValidRange(-12_000...100_000)
    /// A speed over ground or its error, m/s. Civil receivers work up to 515 m/s (the limit of export licences).
    public static let speed = ValidRange(0...1000)
    /// An accuracy radius, metres: at most half of the Earth's circumference.
    public static let accuracy = ValidRange(0...20_037_509)
    /// A direction before normalisation, degrees: receivers report full turns, and west as negative.
    public static let direction = ValidRange(-360...720)
    /// A distance or its error, metres: a hundred times the largest value that an odometer can be set to.
    public static let distance = ValidRange(0...1e12)
    /// The charge of a battery or the content of a tank, 0 (empty) to 1 (full).
    public static let charge = ValidRange(0...1)
    /// A duration, seconds: that of the calendar with years of four digits.
    public static let duration = ValidRange(0...3.2e11)
    /// The speed of wheels, m/s: the range of the parameter of J1939, 251 km/h.
    public static let wheelSpeed = ValidRange(0...69.75)
    /// The odometer of a vehicle, metres: the range of the parameter of J1939.
    public static let vehicleOdometer = ValidRange(0...2.1055406e10)
    /// The speed of an engine, revolutions per minute: the range of the parameter of OBD-II.
    public static let engineSpeed = ValidRange(0...16_384)
    /// The voltage of a vehicle's battery, volts: twice that of the largest trucks.
    public static let batteryVoltage = ValidRange(0...60)
    /// The interval between two reports of a receiver, seconds.
    public static let cycle = ValidRange(0.001...86_400)

    /// Returns a valid value; nil if it is missing or outside the range.
    public func validated(_ value: Double?) -> Double? {
        guard let value, range.contains(value) else { return nil }
        return value
    }

    /// Returns the value or the nearest bound; nil if it is not a number.
    public func clamped(_ value: Double) -> Double? {
        value.isNaN ? nil : min(max(value, range.lowerBound), range.upperBound)
    }
}
