import OdographCivilTime
import OdographWire

/// A message of a vehicle that matches the contract.
package struct VehicleMessage: Hashable, Sendable {
    /// The contents of a message. They are indirect, because a batch copies its messages several times.
    package indirect enum Content: Hashable, Sendable {
        /// A location record of the channel `location` or `geofence`.
        case location(LocationEvent)
        /// A revision of a timeline event.
        case timeline(TimelineEventRevision)
        /// A record that names numbers for which no record comes.
        case givenUp(GivenUpRecord)
        /// The connection state.
        case status(StatusMessage)
        /// The configuration in force and the ledger.
        case reported(ReportedMessage)
    }

    /// The vehicle, from the topic: the broker's rules protect the topic, but not `device_id` in the payload.
    package let vehicle: DeviceAddress
    /// The channel.
    package let channel: UplinkChannel
    /// Whether it is a record that was not live.
    package let isBacklog: Bool
    /// The contents.
    package let content: Content
    /// The payload.
    package let payload: String

    /// The number of a record; nil for another message.
    package var number: RecordKey? {
        switch content {
        case .location(let event): RecordKey(epoch: event.epoch, seq: event.seq)
        case .timeline(let event): RecordKey(epoch: event.epoch, seq: event.seq)
        case .givenUp(let record): RecordKey(epoch: record.epoch, seq: record.seq)
        case .status, .reported: nil
        }
    }
}

extension RecordKey {
    /// Creates a number from two optional parts; nil if one is missing.
    fileprivate init?(epoch: Int64?, seq: Int64?) {
        guard let epoch, let seq else { return nil }
        self.init(epoch: epoch, seq: seq)
    }
}
