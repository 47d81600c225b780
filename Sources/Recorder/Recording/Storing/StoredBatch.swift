import OdographCivilTime
import OdographWire

/// The new part of a batch.
package struct StoredBatch: Hashable, Sendable {
    /// A stored position.
    package struct Position: Hashable, Sendable {
        let vehicle: DeviceAddress
        let isBacklog: Bool
        /// The time from the fix to its arrival, seconds, by the clocks of the vehicle and of this machine.
        let lagSeconds: Double
    }

    /// The number of new records of each kind.
    var records: [UplinkChannel: Int] = [:]
    /// The new positions with a certain date.
    var positions: [Position] = []
    /// The number of messages that violate the contract.
    var rejected = 0

    /// Adds the parts of another batch.
    mutating func add(_ other: StoredBatch) {
        records.merge(other.records, uniquingKeysWith: +)
        positions += other.positions
        rejected += other.rejected
    }

    /// Adds a new record.
    mutating func add(_ record: NumberedMessage) {
        records[record.message.channel, default: 0] += 1
        guard case .location(let event) = record.message.content, event.clockUntrusted != true else { return }
        positions.append(
            Position(
                vehicle: record.message.vehicle, isBacklog: record.message.isBacklog,
                lagSeconds: max(record.received.seconds(since: event.timestamp), 0)))
    }
}
