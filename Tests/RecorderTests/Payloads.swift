import OdographCivilTime
import OdographJSON
import OdographWire

/// Payloads as an agent publishes them.
enum Payloads {
    static func location(
        epoch: Int64 = 7, _ seq: Int64, latitude: Double = 40, isGeofence: Bool = false, date: String? = nil
    ) throws -> [UInt8] {
        let time =
            date.flatMap { Timestamp(iso8601: $0) } ?? Timestamp(millisecondsSinceEpoch: 1_790_000_000_000 + seq * 1000)
        var event = LocationEvent(
            uuid: "u\(epoch)-\(seq)", epoch: epoch, seq: seq, timestamp: time, age: 5, isMoving: true,
            odometer: Double(min(seq, 1_000_000)) * 10, odometerError: 1,
            coords: LocationCoordinates(latitude: latitude, longitude: -3, accuracy: 4, speed: -1, heading: 90),
            activity: ActivityReading(type: .inVehicle, confidence: 90))
        if isGeofence {
            event.event = .geofence
            event.geofence = GeofenceTrigger(identifier: "depot", action: .enter, occurredAt: time, confirmedAt: time)
        }
        return try JSONCoder.bytes(of: LocationMessage(deviceID: "van-7", location: event))
    }

    /// - Parameter update: The second of `last_update_date`; nil: as `seq`.
    static func timeline(
        epoch: Int64 = 7, _ seq: Int64, event: String, revision: Int, update: Int64? = nil, withdrawn: Bool = false
    ) throws -> [UInt8] {
        let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
        var revision = TimelineEventRevision(
            eventID: event, uuid: "u\(epoch)-\(seq)", epoch: epoch, seq: seq, revision: revision,
            isProvisional: !withdrawn, type: withdrawn ? .unknown : .inTransport, startDate: start,
            endDate: withdrawn ? start : nil,
            lastUpdateDate: start.advanced(byMilliseconds: (update ?? seq) * 1000), duration: 0)
        if withdrawn { revision.withdrawn = true }
        return try JSONCoder.bytes(of: TimelineMessage(deviceID: "van-7", timelineEvent: revision))
    }

    static func status(_ state: StatusMessage.State, connection: Int64) throws -> [UInt8] {
        try JSONCoder.bytes(
            of: StatusMessage(
                deviceID: "van-7", state: state, reason: state == .online ? .connected : .connectionLost,
                connection: connection, bootID: "b", runID: "r", version: "1.0",
                timestamp: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)))
    }

    static func givenUp(epoch: Int64 = 7, _ seq: Int64, _ ranges: [GivenUpRange]) throws -> [UInt8] {
        try JSONCoder.bytes(
            of: GivenUpMessage(
                deviceID: "van-7",
                givenUp: GivenUpRecord(
                    uuid: "u\(epoch)-\(seq)", epoch: epoch, seq: seq,
                    timestamp: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000 + seq * 1000), ranges: ranges)))
    }

    /// - Parameter receipts: The receipts in force in a vehicle that reads receipts; nil for a vehicle that reads none.
    static func reported(
        _ ledger: [LedgerRange], configuration: JSONValue? = nil, at second: Int64 = 0,
        receipts: [ReportedReceipt]? = nil, timeZone: String? = nil
    ) throws -> [UInt8] {
        try JSONCoder.bytes(
            of: ReportedMessage(
                deviceID: "van-7", timestamp: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000 + second * 1000),
                agentVersion: "1.0", levels: [], errors: [], configuration: configuration, configurationHash: "h",
                withinSchedule: true, timeZone: timeZone, nextScheduleChanges: [],
                tracking: TrackingState(isEnabled: true, offSchedule: nil, isMoving: false),
                geofences: ReportedGeofences(count: 0, hash: "", levels: [], errors: []), ledger: ledger,
                queue: QueueState(depth: 3, oldest: nil), receipts: receipts,
                features: receipts == nil ? [] : [.receipts]))
    }

    static func named(
        _ numbers: ClosedRange<Int64>, epoch: Int64 = 7, _ reason: LedgerRange.Reason = .quota
    ) -> GivenUpRange {
        GivenUpRange(epoch: epoch, from: numbers.lowerBound, to: numbers.upperBound, reason: reason)
    }

    static func range(
        _ numbers: ClosedRange<Int64>, count: Int? = nil, reason: LedgerRange.Reason = .thinned
    ) -> LedgerRange {
        LedgerRange(
            epoch: 7, from: numbers.lowerBound, to: numbers.upperBound, count: count ?? numbers.count,
            kind: .location, reason: reason, at: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000))
    }
}
