import OdographCivilTime
import OdographJSON
import OdographWire

/// The positions of a vehicle, ordered by time.
struct TrackPages: HistoryPages {
    private let vehicle: ArchivedVehicle
    private let times: Range<Timestamp>
    private var place: ArchivedRecord.Place?

    /// - Throws: `HistoryRefusal` if the place is before the times: only they are permitted and logged.
    init(
        vehicle: ArchivedVehicle, times: Range<Timestamp>, after place: ArchivedRecord.Place?
    ) throws(HistoryRefusal) {
        if let place, place.time < times.lowerBound.iso8601 { throw .wrongPlace }
        self.vehicle = vehicle
        self.times = times
        self.place = place
    }

    var timeZone: String? { nil }

    mutating func read(from database: HistoryDatabase, limit: Int) throws -> HistoryPage {
        let records = try database.records(
            of: vehicle, in: times, after: place, isTrack: true, hasPayload: false, limit: limit)
        place = records.last?.place ?? place
        let isEnd = records.count < limit
        return HistoryPage(
            rows: try records.map { try JSONCoder.bytes(of: $0.positionRow) },
            next: isEnd ? nil : place.map { "\($0.time)/\($0.number.epoch)/\($0.number.seq)" })
    }

    /// Reads the place of an answer.
    static func place(_ text: String) throws(HistoryRefusal) -> ArchivedRecord.Place {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let time = Timestamp(iso8601: parts[0]), let epoch = Int64(parts[1]),
            let seq = Int64(parts[2])
        else { throw .wrongPlace }
        return ArchivedRecord.Place(time: time.iso8601, number: RecordKey(epoch: epoch, seq: seq))
    }
}

extension ArchivedRecord {
    /// The position as a row of an answer. A value that the vehicle did not know is absent.
    var positionRow: JSONValue {
        var members: [String: JSONValue] = [
            "timestamp": .string(time), "epoch": .integer(number.epoch), "seq": .integer(number.seq),
        ]
        members["latitude"] = latitude.map { .number($0) }
        members["longitude"] = longitude.map { .number($0) }
        members["accuracy"] = accuracy.map { .number($0) }
        members["altitude"] = altitude.map { .number($0) }
        members["speed"] = speed.map { .number($0) }
        members["heading"] = heading.map { .number($0) }
        members["is_moving"] = isMoving.map { .bool($0) }
        members["odometer"] = odometer.map { .number($0) }
        members["driver"] = driver.map { .string($0) }
        if channel == .geofence {
            members["geofence"] = subject.map { .string($0) }
            members["action"] = event.map { .string($0) }
            members["crossing"] = crossing
        } else {
            members["event"] = event.map { .string($0) }
        }
        if isUndated { members["clock_untrusted"] = .bool(true) }
        if isMock { members["mock"] = .bool(true) }
        if isOfPrivateUse { members["private"] = .bool(true) }
        return .object(members)
    }

    /// The geofence of the record with its name, its times and what else the vehicle told; nil if it is not known.
    private var crossing: JSONValue? {
        guard let geofence = try? JSONCoder.decode(LocationMessage.self, from: payload).location.geofence else {
            return nil
        }
        return try? JSONCoder.value(of: geofence)
    }
}
