import OdographBatches
import OdographWire

/// Decides whether a message is one of a vehicle, and reads it.
package struct MessageReader: Sendable {
    /// The first part of every topic.
    let root: String

    /// - Parameter root: The first part of every topic.
    package init(root: String) { self.root = root }

    /// The contents of a received message: one entry, or one for each record of a batch. A record of a batch that
    /// violates the contract does not prevent the others from being stored. An empty message on a topic with a retained
    /// message has no content: an erasure, or the removal of a retired vehicle, has deleted the retained message.
    package func contents(topic: String, payload: [UInt8]) -> [BatchEntry.Content] {
        let place = VehicleTopic(topic, root: root)
        if payload.isEmpty, let place, place.channel.isRetained, !place.isBacklog { return [] }
        guard let vehicle = place?.vehicle, place?.channel == .batch, !payload.isEmpty else {
            return [content(topic: topic, payload: payload)]
        }
        do throws(BatchError) {
            return try BatchDecoder.records(of: payload).map { record in
                // The topic on which the record would come alone, not live.
                content(topic: vehicle.backlogTopic(record.channel), payload: record.payload)
            }
        } catch {
            return [Self.rejected(topic, payload, RejectionReason("not a batch: \(error)"))]
        }
    }

    private func content(topic: String, payload: [UInt8]) -> BatchEntry.Content {
        do throws(RejectionReason) {
            return .message(try read(topic: topic, payload: payload))
        } catch {
            return Self.rejected(topic, payload, error)
        }
    }

    private static func rejected(
        _ topic: String, _ payload: [UInt8], _ reason: RejectionReason
    ) -> BatchEntry.Content {
        .rejected(
            topic: topic, payload: Array(payload.prefix(RejectedTable.maximumBytes)), bytes: payload.count,
            reason: reason)
    }

    /// Reads the message of one record, a status or a report.
    /// - Throws: ``RejectionReason`` for a message that violates the contract.
    package func read(topic: String, payload: [UInt8]) throws(RejectionReason) -> VehicleMessage {
        guard let place = VehicleTopic(topic, root: root) else { throw RejectionReason("not a topic of a vehicle") }
        guard !payload.isEmpty else { throw RejectionReason("empty") }
        // The decoder would also accept UTF-16.
        guard let text = String(validating: payload, as: UTF8.self) else { throw RejectionReason("not UTF-8") }
        guard !place.channel.isOfRecords || payload.count <= BatchBounds.recordBytes else {
            throw RejectionReason("longer than \(BatchBounds.recordBytes) bytes")
        }
        let message = VehicleMessage(
            vehicle: place.vehicle, channel: place.channel, isBacklog: place.isBacklog,
            content: try content(of: payload, on: place.channel), payload: text)
        switch message.content {
        case .location(let event): try check(event, on: place.channel)
        case .givenUp(let record): try check(record.ranges)
        case .reported(let report): try check(report.ledger)
        case .timeline, .status: break
        }
        if message.number == nil, place.channel.isOfRecords {
            throw RejectionReason("epoch or seq is missing")
        }
        return message
    }

    private func content(
        of payload: [UInt8], on channel: UplinkChannel
    ) throws(RejectionReason) -> VehicleMessage.Content {
        do throws(MessageError) {
            switch channel {
            case .location, .geofence: return .location(try LocationMessage(message: payload).location)
            case .timeline: return .timeline(try TimelineMessage(message: payload).timelineEvent)
            case .givenUp: return .givenUp(try GivenUpMessage(message: payload).givenUp)
            case .status: return .status(try StatusMessage(message: payload))
            case .reported: return .reported(try ReportedMessage(message: payload))
            case .batch, .numbers, .response: break
            }
        } catch {
            throw RejectionReason(error)
        }
        throw RejectionReason("not a topic of one record, a status or a report")
    }

    private func check(_ event: LocationEvent, on channel: UplinkChannel) throws(RejectionReason) {
        guard (event.geofence != nil) == (channel == .geofence) else {
            throw RejectionReason("geofence is only in messages of the channel geofence, and in all of them")
        }
    }

    private func check(_ ledger: [LedgerRange]) throws(RejectionReason) {
        guard ledger.allSatisfy({ $0.from <= $0.to }) else {
            throw RejectionReason("ledger has a range whose end is before its beginning")
        }
    }

    private func check(_ ranges: [GivenUpRange]) throws(RejectionReason) {
        guard !ranges.isEmpty, ranges.allSatisfy({ $0.from <= $0.to }),
            zip(ranges, ranges.dropFirst()).allSatisfy({ ($0.epoch, $0.to) < ($1.epoch, $1.from) })
        else {
            throw RejectionReason("ranges is empty, or has ranges that are not ascending, separate ones from 1")
        }
    }
}
