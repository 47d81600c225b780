import OdographCivilTime
import OdographJSON

/// The payload of a request about the past.
package struct HistoryRequest: Hashable, Sendable {
    /// The rows that a request asks for.
    package enum Query: Hashable, Sendable {
        /// The positions of a vehicle in a time, ordered by time.
        case track(device: String, times: Range<Timestamp>)
        /// The events of the timeline of a vehicle that overlap a time, ordered by start.
        case timeline(device: String, times: Range<Timestamp>)
        /// The sums over the days of a vehicle from a date to another one, both included.
        case days(device: String, first: CivilDate, last: CivilDate)
        /// The newest position of each vehicle of the fleet, ordered by name.
        case latest
        /// The alerts of a vehicle in a time, or of all vehicles for nil, the newest first.
        case alerts(device: String?, times: Range<Timestamp>)
        /// The alerts with these identifiers, which the person acknowledges.
        case acknowledge(alerts: [String])
    }

    /// The rows that it asks for.
    package var query: Query
    /// The most rows of the answer; nil for the most that the recorder allows.
    package var limit: Int?
    /// `next` of the answer before it; nil to begin.
    package var after: String?
    /// The recorder that is to answer; nil for each.
    package var recorder: String?

    /// Whether the parts of the answer are compressed (zlib, RFC 1950).
    package var isCompressed = false

    /// - Parameters: As the properties of the same names.
    package init(_ query: Query, limit: Int? = nil, after: String? = nil, recorder: String? = nil) {
        self.query = query
        self.limit = limit
        self.after = after
        self.recorder = recorder
    }

    /// The vehicle; nil for all vehicles.
    package var device: String? {
        switch query {
        case .track(let device, _), .timeline(let device, _), .days(let device, _, _): device
        case .alerts(let device, _): device
        case .latest, .acknowledge: nil
        }
    }

    /// The name of the kind of rows.
    package var kind: String {
        switch query {
        case .track: "track"
        case .timeline: "timeline"
        case .days: "days"
        case .latest: "latest"
        case .alerts: "alerts"
        case .acknowledge: "acknowledge"
        }
    }

    /// The interval; of days in UTC. Nil if the request has none.
    package var times: Range<Timestamp>? {
        switch query {
        case .track(_, let times), .timeline(_, let times), .alerts(_, let times): return times
        case .days(_, let first, let last):
            let start = Timestamp(millisecondsSinceEpoch: Int64(first.daysSinceEpoch) * 86_400_000)
            return start..<Timestamp(millisecondsSinceEpoch: Int64(last.daysSinceEpoch + 1) * 86_400_000)
        case .latest, .acknowledge: return nil
        }
    }
}

/// The reason why a request is refused.
package struct HistoryRefusal: Error, Hashable, Sendable {
    /// The kind of reason, for programs.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The request violates the contract.
        case invalid
        /// The fleet has no vehicle of this name.
        case unknownDevice = "unknown_device"
        /// The interval is longer than the recorder allows.
        case tooLong = "too_long"
        /// The person, or all persons together, ask more than the recorder allows.
        case tooMany = "too_many"
        /// The database cannot be read, or the request cannot be logged.
        case unavailable
    }

    /// The kind of reason.
    package let code: Code
    /// The error and its correction, as a sentence.
    package let text: String

    /// - Parameters: As the properties of the same names.
    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }
}
