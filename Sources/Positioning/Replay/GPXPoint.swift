import OdographCivilTime
import OdographGeodesy
import OdographModel

/// A track point while it is parsed: the texts of the known elements, by their local names.
struct GPXPoint {
    /// Metres of accuracy per unit of dilution. Under open sky, where the dilution is about 1, a phone's receiver is
    /// within 4.9 m (van Diggelen and Enge, "The World's first GPS MOOC and Worldwide Laboratory using Smartphones",
    /// ION GNSS+ 2015; GPS.gov gives the same value).
    private static let metersPerDilution = 5.0

    private let latitude: String?
    private let longitude: String?
    private var time: String?
    private var elevation: String?
    private var speed: String?
    private var course: String?
    private var dilution: String?

    init(latitude: String?, longitude: String?) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether an element's text is used.
    static func isWanted(_ element: String) -> Bool {
        ["time", "ele", "speed", "course", "hdop", "bearing", "heading"].contains(element)
    }

    /// Stores the text of an element. Values inside `extensions` are used only if the standard element is absent.
    mutating func set(_ element: String, to text: String, isExtension: Bool) {
        switch element {
        case "time" where !isExtension: time = text
        case "ele" where !isExtension: elevation = text
        case "hdop" where !isExtension: dilution = text
        case "speed": if !isExtension || speed == nil { speed = text }
        case "course": if !isExtension || course == nil { course = text }
        case "bearing", "heading": if course == nil { course = text }
        default: break
        }
    }

    /// Returns the fix.
    /// - Throws: The reason why there is none.
    func fix() throws(SkipReason) -> Fix {
        guard let latitude, let longitude else { throw .noPosition }
        guard let latitudeDegrees = Self.number(latitude), let longitudeDegrees = Self.number(longitude),
            let coordinate = Coordinate(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
        else { throw .badCoordinate }
        guard let timestamp else { throw time == nil ? .noTime : .badTime }
        return Fix(
            timestamp: timestamp, received: ClockReading(replayed: timestamp), coordinate: coordinate,
            accuracyMeters: Self.number(dilution).map { $0 * Self.metersPerDilution },
            speedMetersPerSecond: Self.number(speed), headingDegrees: Self.number(course),
            altitudeMeters: Self.number(elevation), isMock: true)
    }

    /// The time. GPX times are UTC by the schema, so some programs omit the zone.
    private var timestamp: Timestamp? {
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
