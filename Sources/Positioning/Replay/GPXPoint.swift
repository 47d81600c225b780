import CivilTime
import Geodesy
import Tracking

/// A track point while it is read: the texts of the elements that matter, by their local names.
struct GPXPoint {
    /// Metres of accuracy per unit of dilution: under open sky, where the dilution is about 1, a phone's receiver is within
    /// 4.9 m (van Diggelen and Enge, "The World's first GPS MOOC and Worldwide Laboratory using Smartphones", ION GNSS+
    /// 2015, the figure that GPS.gov gives).
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

    /// Whether an element's text is worth gathering.
    static func isWanted(_ element: String) -> Bool {
        ["time", "ele", "speed", "course", "hdop", "bearing", "heading"].contains(element)
    }

    /// An element ended. Inside of `extensions` only what the standard elements have not said is taken.
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

    var outcome: FixAssembler.Outcome {
        guard let latitude, let longitude else { return .skipped(.noPosition) }
        guard let latitudeDegrees = Self.number(latitude), let longitudeDegrees = Self.number(longitude),
            let coordinate = Coordinate(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
        else { return .skipped(.badCoordinate) }
        guard let timestamp = timestamp else { return .skipped(.noTime) }
        return .fix(
            Fix(
                timestamp: timestamp,
                received: ClockReading(replayed: timestamp),
                coordinate: coordinate,
                accuracyMeters: Self.number(dilution).map { $0 * Self.metersPerDilution },
                speedMetersPerSecond: Self.number(speed), headingDegrees: Self.number(course),
                altitudeMeters: Self.number(elevation),
                isMock: true))
    }

    /// GPX times are UTC by its schema, which some writers take for a reason to leave the zone out.
    private var timestamp: Timestamp? {
        guard let text = time.map(Self.trimmed) else { return nil }
        return Timestamp(iso8601: text) ?? Timestamp(iso8601: text + "Z")
    }

    private static func number(_ text: String?) -> Double? {
        guard let text = text.map(trimmed), text.utf8.allSatisfy(isNumberCharacter) else { return nil }
        return Double(text)
    }

    /// Keeps the words `nan` and `infinity` and hexadecimal numbers out, which `Double` would read.
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
