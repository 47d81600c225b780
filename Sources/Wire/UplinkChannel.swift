/// A channel of a device: the last part of the topics that it publishes to.
public enum UplinkChannel: String, Hashable, Sendable, Codable, CaseIterable {
    /// Location events.
    case location
    /// Location events whose `event` is `geofence`.
    case geofence
    /// Revisions of timeline events.
    case timeline
    /// Records that name numbers for which no record comes.
    case givenUp = "given_up"
    /// Many records of the channels above in one compressed message.
    case batch
    /// The connection state of the agent; also its last will.
    case status
    /// The configuration in force and the state of the agent.
    case reported
    /// The last number that the agent can publish.
    case numbers
    /// Answers to commands.
    case response
}

extension UplinkChannel {
    /// Whether the broker retains the newest message of the channel. Records and documents get their flag here.
    public var isRetained: Bool {
        switch self {
        // A client that connects later gets the newest position, the newest revision and the state at once.
        case .location, .timeline, .status, .reported, .numbers: true
        // A geofence event, a given-up record and a batch are no state: the next one does not replace it. An answer is
        // for one requester.
        case .geofence, .givenUp, .batch, .response: false
        }
    }

    /// Whether its messages are records, which have numbers.
    package var isOfRecords: Bool {
        switch self {
        case .location, .geofence, .timeline, .givenUp: true
        case .batch, .status, .reported, .numbers, .response: false
        }
    }

    /// Whether records that are not live have a topic of their own.
    package var hasBacklog: Bool {
        switch self {
        case .location, .geofence, .timeline: true
        // A given-up record is about earlier numbers, so it is never live.
        case .givenUp, .batch, .status, .reported, .numbers, .response: false
        }
    }

    /// Whether the broker retains a record of the channel. In the backlog it does not: the record would replace a newer
    /// one.
    public func isRetained(asBacklog isBacklog: Bool) -> Bool { isRetained && !isBacklog }
}
