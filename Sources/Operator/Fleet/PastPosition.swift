import Odograph
import OdographCivilTime
import OdographGeodesy
import OdographJSON
import OdographTerminal
import OdographWire

/// Where a vehicle was at a time, as far as a recorder knows it.
public struct PastPosition: Hashable, Sendable {
    /// The kind of the position.
    public enum Kind: String, Hashable, Sendable {
        /// A record of this time.
        case record
        /// A place between two records.
        case between
        /// The place of a stop.
        case stop
        /// The place of a stop that had not ended when the vehicle was last heard, before the time. It can have left
        /// since.
        case lastStop = "last_stop"
        /// The nearest record: the others are too far away in time.
        case nearest
        /// The vehicle was in private use, so there is no place.
        case privateUse = "private"
        /// There is no record around the time.
        case unknown
        /// The recorder does not know the vehicle.
        case unknownVehicle = "unknown_vehicle"
    }

    /// A place and its error.
    public struct Place: Hashable, Sendable {
        /// Degrees north.
        public let latitude: Double
        /// Degrees east.
        public let longitude: Double
        /// The radius in which the vehicle was, metres; nil if nothing useful bounds it. Of a stop that had not ended,
        /// the radius at the last sign of the vehicle.
        public let errorMeters: Double?
        /// The name of the geofence of a stop; nil for none.
        public let name: String?
        /// The time between the record and the time that was asked for, seconds: negative for a record before it. Of a
        /// place between two records, that of the nearer one; of a stop that had not ended, that of the last sign of
        /// the vehicle. Nil for another stop.
        public let ageSeconds: Double?
    }

    /// The vehicle.
    public let device: String
    /// The time.
    public let time: Timestamp
    /// The kind of the position.
    public let kind: Kind
    /// The place; nil if there is none.
    public let place: Place?
    /// `; did you mean van-7?` for a vehicle that is not known, else empty.
    private var suggestion = ""

    /// The longest time before and after the asked one in which records are looked for, seconds. A parked vehicle makes
    /// a record each hour.
    fileprivate static let longestSearchSeconds = 90_000.0
    /// The longest time between two records between which a place is calculated, seconds.
    private static let longestHoleSeconds = 600.0
    /// A speed that no vehicle of a fleet exceeds, m/s.
    private static let greatestSpeed = 70.0
    /// The error of a position whose accuracy is not known, metres.
    private static let usualAccuracy = 50.0
    /// The radius of a stop, as the vehicle uses it at most, metres.
    private static let stopRadius = 50.0
    /// The largest error that says something, metres: beyond it the vehicle can have been in another city.
    private static let largestError = 100_000.0

    /// The answer for a vehicle that the recorder does not know.
    init(unknown device: String, at time: Timestamp, suggestion: String) {
        (self.device, self.time, self.suggestion) = (device, time, suggestion)
        (kind, place) = (.unknownVehicle, nil)
    }

    /// Finds the place.
    /// - Parameters:
    ///   - points: Positions around the time, ordered by time.
    ///   - events: The events of the timeline around the time, ordered by start.
    init(of device: String, at time: Timestamp, points: [TrackPoint], events: [TimelineEventRevision]) {
        (self.device, self.time) = (device, time)
        let certain = points.filter { $0.clockUntrusted != true }
        let told = certain.filter { $0.isPrivate != true }
        let spans = Self.spans(of: events, points: told)
        if spans.contains(where: { $0.event.isOfPrivateUse && $0.contains(time) }) {
            (kind, place) = (.privateUse, nil)
            return
        }
        // A position of private use says nothing about another time either. Its event can be on its way, or erased.
        let open = told.filter { point in
            !spans.contains { $0.event.isOfPrivateUse && $0.contains(point.timestamp) }
        }
        let stops = spans.filter { $0.event.type == .stationary }
        let isInPrivateUse = certain.last { $0.timestamp <= time }?.isPrivate == true
        if let stop = stops.first(where: { $0.contains(time) && (time < $0.end || $0.lasts) }),
            let place = Self.place(of: stop, ageSeconds: nil)
        {
            (kind, self.place) = (.stop, place)
            return
        }
        if isInPrivateUse {
            (kind, place) = (.privateUse, nil)
            return
        }
        if let stop = stops.last, stop.lasts, stop.end < time,
            let place = Self.place(of: stop, ageSeconds: stop.end.seconds(since: time))
        {
            (kind, self.place) = (.lastStop, place)
            return
        }
        let before = open.last { $0.timestamp <= time }
        let after = open.first { $0.timestamp >= time }
        switch (before, after) {
        case (nil, nil): (kind, place) = (.unknown, nil)
        case (let point?, nil), (nil, let point?): (kind, place) = (.nearest, Self.nearest(point, at: time, other: nil))
        case (let before?, let after?):
            let seconds = after.timestamp.seconds(since: before.timestamp)
            if before.timestamp == time || after.timestamp == time {
                let point = before.timestamp == time ? before : after
                (kind, place) = (.record, Self.nearest(point, at: time, other: nil))
            } else if seconds <= Self.longestHoleSeconds, let between = Self.between(before, after, at: time) {
                (kind, place) = (.between, between)
            } else {
                let isBeforeNearer =
                    time.seconds(since: before.timestamp) <= after.timestamp.seconds(since: time)
                (kind, place) = (
                    .nearest,
                    isBeforeNearer
                        ? Self.nearest(before, at: time, other: after) : Self.nearest(after, at: time, other: before)
                )
            }
        }
    }

    /// An event and its time.
    private struct Span {
        let event: TimelineEventRevision
        /// The end, or the last sign of the vehicle during an event that lasts.
        let end: Timestamp
        /// Whether the event had not ended at the last sign of the vehicle.
        let lasts: Bool

        func contains(_ time: Timestamp) -> Bool { event.startDate <= time && time <= end }
    }

    /// Returns the events with their times. An event whose end was lost ends as the next one begins.
    /// - Parameter points: The positions with certain times. Those at an open stop show that it lasted until then; one
    ///   elsewhere ends it.
    private static func spans(of events: [TimelineEventRevision], points: [TrackPoint]) -> [Span] {
        events.indices.map { index in
            let next = events[(index + 1)...].first { $0.startDate > events[index].startDate }?.startDate
            var lasts = events[index].endDate == nil && next == nil
            var sign = max(events[index].lastUpdateDate, events[index].startDate)
            if lasts, let location = events[index].location {
                for point in points where point.timestamp > sign {
                    lasts = isAt(location, point)
                    guard lasts else { break }
                    sign = point.timestamp
                }
            }
            // Nobody knows that a private time has ended.
            let end = lasts && events[index].isOfPrivateUse ? .latest : events[index].endDate ?? next ?? sign
            return Span(event: events[index], end: end, lasts: lasts)
        }
    }

    /// Whether a position can be of a stop.
    private static func isAt(_ stop: StopPosition, _ point: TrackPoint) -> Bool {
        guard let place = Coordinate(latitudeDegrees: stop.latitude, longitudeDegrees: stop.longitude),
            let other = point.coordinate
        else { return false }
        let error = max(stop.accuracy, 0) + max(point.accuracy ?? usualAccuracy, 0)
        return place.distanceMeters(to: other) <= stopRadius + error
    }

    /// Returns the place of a stop; nil if it has none.
    private static func place(of stop: Span, ageSeconds: Double?) -> Place? {
        stop.event.location.map { location in
            Place(
                latitude: location.latitude, longitude: location.longitude, errorMeters: location.accuracy,
                name: stop.event.venue.map { $0.name ?? $0.identifier }, ageSeconds: ageSeconds)
        }
    }

    /// Returns the place of a record, with the error at another time.
    /// - Parameter other: The record at the other side of the time.
    private static func nearest(_ point: TrackPoint, at time: Timestamp, other: TrackPoint?) -> Place {
        let seconds = abs(time.seconds(since: point.timestamp))
        let accuracy = point.accuracy ?? usualAccuracy
        // The vehicle was at most as far away as it drove until the other record.
        let driven = other.flatMap { distance(from: point, to: $0) }
        let reach = seconds == 0 ? 0 : min(driven ?? .infinity, greatestSpeed * seconds)
        let error = accuracy + reach
        return Place(
            latitude: point.latitude, longitude: point.longitude, errorMeters: error <= largestError ? error : nil,
            name: nil, ageSeconds: point.timestamp.seconds(since: time))
    }

    /// Returns the place between two records at a time, and its error.
    ///
    /// A vehicle that drove a distance from one place to another one was inside the ellipse with these foci and this
    /// great axis. The error is the radius around the place that contains the ellipse, or what a fast vehicle reaches
    /// from one of the two places, if that is less.
    private static func between(_ before: TrackPoint, _ after: TrackPoint, at time: Timestamp) -> Place? {
        guard let start = before.coordinate, let end = after.coordinate else { return nil }
        let plane = LocalPlane(origin: start)
        let target = plane.eastNorthMeters(of: end)
        let (passed, rest) = (time.seconds(since: before.timestamp), after.timestamp.seconds(since: time))
        let share = passed / (passed + rest)
        let place = plane.coordinate(of: target.scaled(by: share))
        let straight = start.distanceMeters(to: end)
        let driven = max(straight, distance(from: before, to: after) ?? greatestSpeed * (passed + rest))
        let ellipse = driven / 2 + abs(share - 0.5) * straight
        let reach = min(
            greatestSpeed * passed + share * straight, greatestSpeed * rest + (1 - share) * straight)
        let error = max(before.accuracy ?? usualAccuracy, after.accuracy ?? usualAccuracy) + min(ellipse, reach)
        return Place(
            latitude: place.latitudeDegrees, longitude: place.longitudeDegrees, errorMeters: error, name: nil,
            ageSeconds: passed <= rest ? -passed : rest)
    }

    /// Returns how far the vehicle drove between two records by its odometer, metres; nil if that is not known.
    private static func distance(from one: TrackPoint, to other: TrackPoint) -> Double? {
        guard let first = one.odometer, let second = other.odometer else { return nil }
        let (earlier, later) = one.timestamp <= other.timestamp ? (first, second) : (second, first)
        // Otherwise somebody has set the odometer.
        return later >= earlier ? later - earlier : nil
    }

    /// The place as a link of RFC 5870; nil if there is none.
    public var link: String? {
        place.map { place in
            let error = place.errorMeters.map { ";u=\($0.formatted(decimals: 0))" } ?? ""
            return "geo:\(place.latitude.formatted(decimals: 5)),\(place.longitude.formatted(decimals: 5))\(error)"
        }
    }

    /// Returns lines for people.
    /// - Parameters:
    ///   - zone: The zone of the time.
    ///   - width: The maximum number of characters per line; nil: no limit.
    public func text(in zone: ZoneRules, width: Int?) -> String {
        let local = zone.localTime(at: time)
        var lines = [device, "  at \(local.date.text) \(local.timeText) (\(zone.identifier))"]
        if let place, let link {
            let error = place.errorMeters.map { " ± \(Format.distance($0))" } ?? ""
            let name = place.name.map { "\($0), " } ?? ""
            lines.append(
                "  \(name)\(place.latitude.formatted(decimals: 5)), \(place.longitude.formatted(decimals: 5))\(error)")
            let isBounded = place.errorMeters != nil
            lines.append("  \(Self.words(kind, place.ageSeconds))\(isBounded ? "" : "; it can have been far away")")
            lines.append("  \(link)")
        } else {
            lines.append("  \(Self.words(kind, nil))\(suggestion)")
        }
        return lines.map { Format.cut($0.printable, to: width) + "\n" }.joined()
    }

    private static func words(_ kind: Kind, _ ageSeconds: Double?) -> String {
        let age = ageSeconds.map { Format.duration(seconds: abs($0)) + ($0 < 0 ? " before" : " after") } ?? ""
        return switch kind {
        case .record: "a record of this time"
        case .between: "between two records; the nearer one is \(age) this time"
        case .stop: "stopped there"
        case .lastStop: "stopped there when it was last heard, \(age) this time"
        case .nearest: "the nearest record, \(age) this time"
        case .privateUse: "in private use; there is no place"
        case .unknown: "the recorder has no position within \(Int(longestSearchSeconds / 3600)) hours of this time"
        case .unknownVehicle: "the recorder does not know this vehicle"
        }
    }

    /// Returns the position as one JSON object and a newline. Unknown values are null.
    public func json() throws -> String {
        func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
        let members: [String: JSONValue] = [
            "device": .string(device), "at": .string(time.iso8601), "kind": .string(kind.rawValue),
            "latitude": number(place?.latitude), "longitude": number(place?.longitude),
            "error_meters": number(place?.errorMeters?.rounded()), "age_seconds": number(place?.ageSeconds),
            "name": .stringOrNull(place?.name), "geo": .stringOrNull(link),
        ]
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }
}

extension FleetClient {
    /// The times before and after the asked one in which records are looked for, seconds.
    private static let searchTimes = [600.0, 7500, PastPosition.longestSearchSeconds]

    /// Asks the recorders where a vehicle was at a time.
    /// - Throws: `ExitError` if no recorder answers, or it refuses for another reason than an unknown vehicle.
    public func position(of device: String, at time: Timestamp, person: String) async throws(ExitError) -> PastPosition
    {
        var found = PastPosition(of: device, at: time, points: [], events: [])
        var recorder: String?
        for seconds in Self.searchTimes {
            // Where little is known, the next search is the last one: a recorder limits the requests of a person.
            if seconds == Self.searchTimes[1], [.unknown, .lastStop].contains(found.kind) { continue }
            let times = time.advanced(bySeconds: -seconds)..<time.advanced(bySeconds: seconds)
            do throws(ExitError) {
                guard
                    let timeline = try await recorded(
                        .timeline(device: device, times: times), TimelineEventRevision.self, person: person,
                        recorder: recorder, isOnlySource: true),
                    let track = try await recorded(
                        .track(device: device, times: times), TrackPoint.self, person: person,
                        recorder: timeline.recorder,
                        isOnlySource: true)
                else {
                    throw ExitError(
                        .unavailable,
                        "no recorder of the fleet \(fleet) answers; check the name of the fleet, whether the recorder "
                            + "runs, and history.answer in its configuration")
                }
                recorder = timeline.recorder
                found = PastPosition(of: device, at: time, points: track.rows, events: timeline.rows)
            } catch {
                guard error.code == .noInput else { throw error }
                return PastPosition(unknown: device, at: time, suggestion: suggestion(for: device))
            }
            switch found.kind {
            case .record, .between, .stop, .privateUse: return found
            case .nearest, .lastStop, .unknown, .unknownVehicle: continue
            }
        }
        return found
    }
}
