/// A measured quantity and the values that it may have: the one place that says so, for every source and for every record.
///
/// A number beyond the range is no measurement but a fault of a receiver, a file or a network. It is treated as unknown, or
/// brought to the nearest bound, where it is read; so no such number is ever computed with, stored or published.
public struct ValidRange: Hashable, Sendable {
    /// The values that are taken, both bounds included.
    public let range: ClosedRange<Double>

    private init(_ range: ClosedRange<Double>) {
        self.range = range
    }

    /// Height above mean sea level or above the ellipsoid, metres. Civil receivers work up to 18 km (the limit of export
    /// licences) and balloons carry some of them to 50 km; the deepest place of the sea floor lies at −11 km.
    public static let altitude = ValidRange(-12_000...100_000)
    /// Speed over ground, m/s, and the error of one. Civil receivers work up to 515 m/s (the limit of export licences).
    public static let speed = ValidRange(0...1000)
    /// The radius around a position that holds the true one, metres: at most half of the Earth's circumference.
    public static let accuracy = ValidRange(0...20_037_509)
    /// A direction before it is brought to 0 up to 360 degrees: receivers report full turns, and west as negative.
    public static let direction = ValidRange(-360...720)
    /// A distance that was travelled, or its bound, metres: a hundred times what an odometer can be set to.
    public static let distance = ValidRange(0...1e12)
    /// The charge of a battery, 0 (empty) to 1 (full).
    public static let charge = ValidRange(0...1)
    /// How long something lasted, seconds: as long as the calendar with years of four digits.
    public static let duration = ValidRange(0...3.2e11)
    /// Seconds between two reports of a receiver.
    public static let cycle = ValidRange(0.001...86_400)

    /// The value; nil where there is none, or one that cannot be.
    public func validated(_ value: Double?) -> Double? {
        guard let value, range.contains(value) else { return nil }
        return value
    }

    /// The value, or the bound next to it; nil for what is not a number.
    public func clamped(_ value: Double) -> Double? {
        value.isNaN ? nil : min(max(value, range.lowerBound), range.upperBound)
    }
}
