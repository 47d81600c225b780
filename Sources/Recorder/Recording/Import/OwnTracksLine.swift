import OdographCivilTime
import OdographJSON

/// A line of a file `.rec` of the OwnTracks Recorder: a time, a relative topic and a payload, with tabulators between
/// them.
enum OwnTracksLine {
    /// Reads a line.
    static func read(_ line: String, now: Timestamp) -> ImportedLine {
        ImportedLine { () throws(UnreadableLine) in try position(line, now: now) }
    }

    /// Returns the position of a line; nil if it has another kind of message.
    private static func position(_ line: String, now: Timestamp) throws(UnreadableLine) -> ImportedPosition? {
        let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw UnreadableLine("not a time, a topic and a payload with tabulators") }
        guard let payload = try? JSONCoder.decode(JSONValue.self, from: Array(parts[2].utf8)),
            let kind = payload["_type"]?.text
        else { throw UnreadableLine("the payload is no JSON object with _type") }
        guard kind != "encrypted" else {
            throw UnreadableLine("the payload is encrypted; decrypt the file with the OwnTracks Recorder")
        }
        guard kind == "location" else { return nil }
        guard let latitude = payload["lat"]?.double, let longitude = payload["lon"]?.double else {
            throw UnreadableLine("the location has no lat or lon that is a number")
        }
        guard let seconds = payload["tst"]?.double, seconds.magnitude < 1e11 else {
            throw UnreadableLine("the location has no tst that is a number of seconds")
        }
        return try ImportedPosition(
            time: Timestamp(millisecondsSinceEpoch: Int64((seconds * 1000).rounded())), latitude: latitude,
            longitude: longitude, accuracy: payload["acc"]?.double, altitude: payload["alt"]?.double,
            // OwnTracks states km/h, and -1 for a value that is not known.
            speed: payload["vel"]?.double.map { $0 / 3.6 }, heading: payload["cog"]?.double, now: now)
    }
}
