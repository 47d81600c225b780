import OdographCivilTime
import OdographJSON
import OdographWire

/// A position that another program recorded.
struct ImportedPosition: Hashable, Sendable {
    /// The key in `extras` of the payload that names the format of the file.
    static let originKey = "imported"

    let time: Timestamp
    /// Degrees north.
    let latitude: Double
    /// Degrees east.
    let longitude: Double
    /// The radius that contains the position, metres; nil if it is not known.
    let accuracy: Double?
    /// Metres; nil if it is not known.
    let altitude: Double?
    /// Metres per second; nil if it is not known.
    let speed: Double?
    /// Degrees from north; nil if it is not known.
    let heading: Double?
    /// Whether the position was replayed or simulated.
    let isMock: Bool

    /// Creates a position. A further value that no receiver can have is not known.
    /// - Parameter now: The time of the import.
    /// - Throws: The reason why it is none.
    init(
        time: Timestamp, latitude: Double, longitude: Double, accuracy: Double? = nil, altitude: Double? = nil,
        speed: Double? = nil, heading: Double? = nil, isMock: Bool = false, now: Timestamp
    ) throws(UnreadableLine) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            throw UnreadableLine("the position is not on the earth")
        }
        guard time.millisecondsSinceEpoch > 0, time <= now.advanced(bySeconds: 86_400) else {
            throw UnreadableLine("the time \(time.iso8601) is before 1970 or in the future")
        }
        (self.time, self.latitude, self.longitude, self.isMock) = (time, latitude, longitude, isMock)
        self.accuracy = accuracy.flatMap { (0...20_037_508).contains($0) ? $0 : nil }
        self.altitude = altitude.flatMap { (-12_000...100_000).contains($0) ? $0 : nil }
        self.speed = speed.flatMap { (0...1000).contains($0) ? $0 : nil }
        self.heading = heading.flatMap { (0...360).contains($0) ? $0 : nil }
    }

    /// The number in ``RecordTable/importedEpoch``. It follows from the time and the place, so that the same position
    /// has the same number in each import, and a later position a greater one. The lower 21 bits distinguish the
    /// positions of a second. The number has at most 53 bits, as a number in JSON, until the year 2106.
    var seq: Int64 {
        let second = time.millisecondsSinceEpoch / 1000
        // FNV-1a: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", with folded upper bits.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(time.millisecondsSinceEpoch) \(latitude) \(longitude)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return second << 21 | Int64((hash ^ hash >> 21 ^ hash >> 42) & 0x1F_FFFF)
    }

    /// The payload as an agent would publish it, without a number. The distance is not known.
    func payload(device: String, format: ImportFormat) throws -> String {
        let event = LocationEvent(
            timestamp: time, age: 0, isMoving: (speed ?? 0) > 0, mock: isMock, odometer: 0, odometerError: 1e9,
            coords: LocationCoordinates(
                latitude: latitude, longitude: longitude, accuracy: accuracy ?? -1, speed: speed ?? -1,
                heading: heading ?? -1, altitude: altitude),
            activity: ActivityReading(type: .unknown, confidence: 0),
            extras: [Self.originKey: .string(format.rawValue)])
        return try JSONCoder.string(of: LocationMessage(deviceID: device, location: event))
    }
}

/// A reason why a line of a file is not read.
struct UnreadableLine: Error, Hashable, Sendable {
    let reason: String
    /// Whether the reason is the same for each line, so that it is no use to leave out this one.
    let isOfAllLines: Bool

    init(_ reason: String, isOfAllLines: Bool = false) { (self.reason, self.isOfAllLines) = (reason, isOfAllLines) }
}
