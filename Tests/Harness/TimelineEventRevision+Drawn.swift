package import OdographCivilTime
package import OdographWire

/// Returns the time of an ISO 8601 text; 1970 if it is invalid, which no test expects.
package func at(_ text: String) -> Timestamp { Timestamp(iso8601: text) ?? Timestamp(millisecondsSinceEpoch: 0) }

extension TimelineEventRevision {
    /// Returns an event. Its type and mode are one text: `STATIONARY`, `IN_TRANSPORT CAR`, `OFF_THE_GRID no_fix`.
    package static func drawn(
        _ what: String, _ start: String, _ end: String?, id: String? = nil
    ) -> TimelineEventRevision {
        let words = what.split(separator: " ").map(String.init)
        let start = at(start)
        let finish = end.map { at($0) }
        var event = TimelineEventRevision(
            eventID: id ?? "\(what) \(start.iso8601)", uuid: nil, epoch: 1, seq: 1, revision: 1,
            isProvisional: end == nil, type: Kind(rawValue: words[0]), startDate: start, endDate: finish,
            lastUpdateDate: finish ?? start, duration: finish?.seconds(since: start) ?? 0)
        switch event.type {
        case .inTransport:
            event.transportMode = words.count > 1 ? TransportMode(rawValue: words[1]) : nil
            event.distanceInMeters = 1234.5
        case .offTheGrid: event.reason = words.count > 1 ? GapReason(rawValue: words[1]) : nil
        case .stationary: event.location = StopPosition(latitude: 40.4, longitude: -3.7, accuracy: 12.4)
        default: break
        }
        return event
    }
}
