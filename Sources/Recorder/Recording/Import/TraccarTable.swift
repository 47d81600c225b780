import OdographCivilTime
import OdographTerminal

/// The table with commas that Traccar exports. A text in it, such as an address, has no quotes.
struct TraccarTable {
    private static let knotMetersPerSecond = 1852.0 / 3600

    private let places: [String: Int]
    /// The number of columns.
    private let count: Int
    private let zone: ZoneRules?
    private let now: Timestamp

    /// Reads the head of the table; nil if a necessary column is missing.
    /// - Parameter zone: The zone of times that have none: that of the user who exported the table; nil if
    ///   it is not known.
    init?(head: String, zone: ZoneRules?, now: Timestamp) {
        let names = head.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != "\"" } }
        places = Dictionary(zip(names, names.indices)) { first, _ in first }
        (count, self.zone, self.now) = (names.count, zone, now)
        guard ["fixTime", "latitude", "longitude"].allSatisfy({ places[$0] != nil }) else { return nil }
    }

    /// Reads a line.
    func read(_ line: String) -> ImportedLine { ImportedLine { () throws(UnreadableLine) in try position(line) } }

    /// Returns the position of a line; nil for one that the receiver did not call valid.
    private func position(_ line: String) throws(UnreadableLine) -> ImportedPosition? {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != "\"" } }
        guard fields.count >= count else { throw UnreadableLine("\(fields.count) fields; the head has \(count)") }
        // An address with commas moves what is behind it.
        let limit = fields.count == count ? count : places["address"] ?? 0
        func text(_ name: String) -> String? {
            guard let place = places[name], place < limit else { return nil }
            return fields[place]
        }
        func number(_ name: String) -> Double? { text(name).flatMap { Double($0) } }
        guard text("valid") != "false" else { return nil }
        guard let latitude = number("latitude"), let longitude = number("longitude") else {
            throw UnreadableLine("latitude or longitude is no number")
        }
        guard let text = text("fixTime"), let time = try time(text) else {
            throw UnreadableLine("fixTime is no time, such as 2026-11-21 09:15:02")
        }
        return try ImportedPosition(
            time: time, latitude: latitude, longitude: longitude,
            // Traccar writes 0 for an accuracy that is not known.
            accuracy: number("accuracy").flatMap { $0 > 0 ? $0 : nil }, altitude: number("altitude"),
            speed: number("speed").map { $0 * Self.knotMetersPerSecond }, heading: number("course"), now: now)
    }

    /// Reads a time. One without a zone that the clocks show twice is the first of both.
    private func time(_ text: String) throws(UnreadableLine) -> Timestamp? {
        let joined = text.replacing(" ", with: "T")
        if let time = Timestamp(iso8601: joined) { return time }
        guard let wall = Timestamp(iso8601: joined + "Z") else { return nil }
        guard let zone else {
            throw UnreadableLine(
                "fixTime has no zone; give --time-zone, that of the user who exported the table", isOfAllLines: true)
        }
        return zone.instant(ofWallClock: wall)
    }
}
