import Odograph
import OdographCivilTime
import OdographGeodesy
import OdographWire

/// A position of a track as a recorder answers it.
struct TrackPoint: HistoryRow {
    static var answerForm: MessageForm { .historyTrack }

    var timestamp: Timestamp
    /// Degrees north.
    var latitude: Double
    /// Degrees east.
    var longitude: Double
    /// The radius that contains the position, metres; nil if it is not known.
    var accuracy: Double?
    /// Metres per second; nil if it is not known.
    var speed: Double?
    /// The distance since the odometer was last set, metres; nil if it is not known.
    var odometer: Double?
    /// True if the time is not certain.
    var clockUntrusted: Bool?
    /// True if the position is of private use.
    var isPrivate: Bool?

    private enum CodingKeys: String, CodingKey {
        case timestamp, latitude, longitude, accuracy, speed, odometer
        case clockUntrusted = "clock_untrusted"
        case isPrivate = "private"
    }

    /// The place; nil for one that is not on the earth.
    var coordinate: Coordinate? { Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) }
}
