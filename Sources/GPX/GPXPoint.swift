import OdographCivilTime

/// A track point: the texts of the known elements, by their local names, and their values.
package struct GPXPoint {
    /// Metres of accuracy per unit of dilution. Under open sky, where the dilution is about 1, a phone's receiver is
    /// within 4.9 m (van Diggelen and Enge, "The World's first GPS MOOC and Worldwide Laboratory using Smartphones",
    /// ION GNSS+ 2015; GPS.gov gives the same value).
    private static let metersPerDilution = 5.0

    /// The line at which the element begins, from 1.
    package let line: Int
    private let latitude: String?
    private let longitude: String?
    private var time: String?
    private var elevation: String?
    private var speed: String?
    private var course: String?
    private var dilution: String?
    private var source: String?

    init(latitude: String?, longitude: String?, line: Int) {
        self.line = line
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether an element's text is used.
    static func isWanted(_ element: String) -> Bool {
        ["time", "ele", "speed", "course", "hdop", "src", "bearing", "heading"].contains(element)
    }

    /// Stores the text of an element. Values inside `extensions` are used only if the standard element is absent.
    mutating func set(_ element: String, to text: String, isExtension: Bool) {
        switch element {
        case "time" where !isExtension: time = text
        case "ele" where !isExtension: elevation = text
        case "hdop" where !isExtension: dilution = text
        case "src" where !isExtension: source = text
        case "speed": if !isExtension || speed == nil { speed = text }
        case "course": if !isExtension || course == nil { course = text }
        case "bearing", "heading": if course == nil { course = text }
        default: break
        }
    }

    /// Whether the point has both attributes of a position.
    package var hasPosition: Bool { latitude != nil && longitude != nil }
    /// Degrees north; nil if it is no number.
    package var latitudeDegrees: Double? { Self.number(latitude) }
    /// Degrees east; nil if it is no number.
    package var longitudeDegrees: Double? { Self.number(longitude) }
    /// The radius that contains the position, metres; nil if it is not known.
    package var accuracyMeters: Double? { Self.number(dilution).map { $0 * Self.metersPerDilution } }
    /// The speed, m/s; nil if it is not known.
    package var speedMetersPerSecond: Double? { Self.number(speed) }
    /// The direction of travel, degrees; nil if it is not known.
    package var headingDegrees: Double? { Self.number(course) }
    /// The height, metres; nil if it is not known.
    package var altitudeMeters: Double? { Self.number(elevation) }
    /// Whether the position was replayed or simulated, as an export of the recorder states it.
    package var isMock: Bool { source.map(Self.trimmed) == "mock" }
    /// Whether the point has an element for its time.
    package var hasTime: Bool { time != nil }

    /// The time; nil if it is absent or not readable. GPX times are UTC by the schema, so some programs omit the zone.
    package var timestamp: Timestamp? {
        guard let text = time.map(Self.trimmed) else { return nil }
        return Timestamp(iso8601: text) ?? Timestamp(iso8601: text + "Z")
    }

    private static func number(_ text: String?) -> Double? {
        guard let text = text.map(trimmed), text.utf8.allSatisfy(isNumberCharacter) else { return nil }
        return Double(text)
    }

    /// Excludes `nan`, `infinity` and hexadecimal numbers, which `Double` would accept.
    private static func isNumberCharacter(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "0"..."9", "+", "-", ".", "e", "E": true
        default: false
        }
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
