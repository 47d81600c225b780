import OdographCivilTime
import OdographSettings
import OdographTerminal

/// Writes a track of GPX 1.1. Speed and heading are in Garmin's extension TrackPointExtension 2, which many programs
/// read, because GPX 1.1 itself has no element for them.
///
/// A position without a certain date has no `time`. A replayed or simulated position has the `src` "mock".
struct GPXWriter: RecordWriter {
    /// The time between two positions after which a new segment begins, seconds. A vehicle that stands still makes at
    /// least one record an hour by default (`tracking.heartbeat_interval`); this is twice as long.
    private static let segmentSeconds = 7200.0

    private let vehicle: ArchivedVehicle
    private var last: ArchivedRecord?

    init(_ vehicle: ArchivedVehicle) { self.vehicle = vehicle }

    var isTrack: Bool { true }

    func header() -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="odograph-recorder \(Markup.escaped(Build.version))" \
            xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
            <trk>
            <name>\(Markup.escaped(vehicle.device))</name>

            """.utf8)
    }

    mutating func bytes(of record: ArchivedRecord) -> [UInt8] {
        guard let latitude = record.latitude, let longitude = record.longitude, !isRepetition(record) else { return [] }
        var text = ""
        if let last {
            if isNewSegment(record, after: last) { text += "</trkseg>\n<trkseg>\n" }
        } else {
            text += "<trkseg>\n"
        }
        text += "<trkpt lat=\"\(latitude.formatted(decimals: 7))\" lon=\"\(longitude.formatted(decimals: 7))\">"
        if let altitude = record.altitude { text += "<ele>\(altitude.formatted(decimals: 2))</ele>" }
        if !record.isUndated { text += "<time>\(record.time)</time>" }
        if record.isMock { text += "<src>mock</src>" }
        let movement = [("speed", record.speed), ("course", record.heading)].compactMap { name, value in
            value.map { "<gpxtpx:\(name)>\($0.formatted(decimals: 2))</gpxtpx:\(name)>" }
        }
        if !movement.isEmpty {
            text +=
                "<extensions><gpxtpx:TrackPointExtension>\(movement.joined())</gpxtpx:TrackPointExtension></extensions>"
        }
        last = record
        return Array((text + "</trkpt>\n").utf8)
    }

    func footer() -> [UInt8] { Array(((last == nil ? "" : "</trkseg>\n") + "</trk>\n</gpx>\n").utf8) }

    /// Whether a record has the position of the one before it, as a geofence event has that of its location.
    private func isRepetition(_ record: ArchivedRecord) -> Bool {
        guard let last else { return false }
        return (record.time, record.latitude, record.longitude) == (last.time, last.latitude, last.longitude)
    }

    private func isNewSegment(_ record: ArchivedRecord, after last: ArchivedRecord) -> Bool {
        guard let time = Timestamp(iso8601: record.time), let before = Timestamp(iso8601: last.time) else {
            return true
        }
        return time.seconds(since: before) > Self.segmentSeconds
    }
}
