import OdographCivilTime
import OdographJSON
import OdographWire

/// Returns an instant from ISO-8601.
func instant(_ text: String) -> Timestamp {
    Timestamp(iso8601: text) ?? Timestamp(millisecondsSinceEpoch: 0)
}

extension Payloads {
    /// Returns a position at a time.
    /// - Parameter change: Sets further members.
    static func position(
        _ seq: Int64, at time: String, latitude: Double = 40, driver: JSONValue? = nil, speed: Double = 12.5,
        geofence: String? = nil, isUndated: Bool = false, isMock: Bool = false,
        change: (inout LocationEvent) -> Void = { _ in }
    ) throws -> Archive.Message {
        let time = instant(time)
        var event = LocationEvent(
            uuid: "u\(seq)", epoch: 7, seq: seq, timestamp: time, clockUntrusted: isUndated ? true : nil, age: 5,
            isMoving: true, mock: isMock, odometer: Double(seq) * 10, odometerError: 1,
            coords: LocationCoordinates(
                latitude: latitude, longitude: -3.7, accuracy: 4, speed: speed, heading: -1, altitude: 650.5),
            activity: ActivityReading(type: .inVehicle, confidence: 90))
        event.extras = driver.map { ["driver": $0] }
        if let geofence {
            event.event = .geofence
            event.geofence = GeofenceTrigger(identifier: geofence, action: .enter, occurredAt: time, confirmedAt: time)
        }
        change(&event)
        let channel = geofence == nil ? "location" : "geofence"
        return (van + channel, try JSONCoder.bytes(of: LocationMessage(deviceID: "van-7", location: event)))
    }

    /// Returns the last revision of an event.
    /// - Parameters:
    ///   - end: The end; nil for an event that lasts.
    ///   - meters: The distance of a trip; nil for a stop.
    ///   - isPrivate: Whether the event was in private time.
    ///   - isMarked: Whether an event of private time says so.
    ///   - carriedMeters: The distance over which the vehicle was carried.
    static func event(
        _ seq: Int64, _ id: String, from start: String, to end: String?, meters: Double? = nil, tag: String? = nil,
        isPrivate: Bool = false, isMarked: Bool = true, place: String? = nil, driver: String? = nil,
        carriedMeters: Double? = nil
    ) throws -> Archive.Message {
        let (from, to) = (instant(start), end.map { instant($0) })
        var event = TimelineEventRevision(
            eventID: id, uuid: "u\(seq)", epoch: 7, seq: seq, revision: 1, isProvisional: end == nil,
            type: meters == nil ? .stationary : .inTransport, startDate: from, endDate: to,
            lastUpdateDate: (to ?? from).advanced(byMilliseconds: seq), duration: to?.seconds(since: from) ?? 0)
        event.distanceInMeters = meters
        event.carriedInMeters = carriedMeters
        event.tag = tag
        event.isPrivate = isPrivate && isMarked ? true : nil
        event.driver = driver
        if driver != nil { event.idleSeconds = 90 }
        if driver != nil, meters != nil {
            event.driving = DrivingTotals(acceleration: 1, braking: 3, cornering: 0, maximumSpeed: 31.4)
        }
        if meters != nil {
            event.transportMode = .car
            if end != nil, !isPrivate {
                event.waypoints = [Waypoint(latitude: 40, longitude: -3.7, accuracy: 4, timestamp: from, speed: 1)]
            }
        } else if !isPrivate {
            event.location = StopPosition(latitude: 40, longitude: -3.7, accuracy: 9)
            event.venue = place.map { Venue(identifier: "id", name: $0, significance: nil) }
        }
        return (van + "timeline", try JSONCoder.bytes(of: TimelineMessage(deviceID: "van-7", timelineEvent: event)))
    }
}
