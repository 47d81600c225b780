import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographJSON
import OdographModel
import OdographWire

/// The messages of a simulated fleet, in the order in which the vehicles publish them.
///
/// The vehicles drive the days of ``VehicleDay``: roads, stops, and the errors of receivers. Each vehicle publishes a
/// position at each fix, a revision of its trip each minute and at its end, and a geofence event at both ends of a
/// trip.
struct FleetStream {
    /// A message and its topic.
    struct Message: Sendable {
        let topic: String
        let payload: [UInt8]
    }

    /// The number of different days. Further vehicles drive one of them in another place.
    private static let days = 12
    private static let secondsPerFix = 10.0

    /// The messages.
    private(set) var messages: [Message] = []

    /// - Parameters:
    ///   - count: The number of messages.
    ///   - vehicles: The number of vehicles.
    init(count: Int, vehicles: Int) throws {
        let days = (0..<min(Self.days, vehicles)).map {
            VehicleDay(seed: UInt64($0 + 1), everySeconds: Self.secondsPerFix)
        }
        var fleet = try (0..<vehicles).map { try SimulatedVehicle(number: $0, day: days[$0 % days.count]) }
        messages.reserveCapacity(count)
        // Round by round, as vehicles publish at the same time.
        while messages.count < count {
            for index in fleet.indices where messages.count < count {
                try fleet[index].publish(into: &messages)
            }
        }
        messages.removeLast(messages.count - count)
    }
}

/// A vehicle of the stream.
private struct SimulatedVehicle {
    private let address: DeviceAddress
    private let day: VehicleDay
    /// The displacement of the day's places, degrees.
    private let offset: Double
    private var next = 0
    private var rounds = 0
    private var seq: Int64 = 0
    private var odometer = 0.0
    private var revision = 0
    private var trip: Range<Timestamp>?

    init(number: Int, day: VehicleDay) throws {
        address = try DeviceAddress(fleet: "acme", device: "van-\(number)")
        self.day = day
        offset = Double(number % 1000) / 1000
    }

    /// Publishes the messages of the next fix.
    mutating func publish(into messages: inout [FleetStream.Message]) throws {
        if next == day.fixes.count {
            next = 0
            rounds += 1
        }
        let fix = day.fixes[next]
        let time = fix.timestamp.advanced(bySeconds: Double(rounds) * 86_400)
        let running = day.trips.first { $0.contains(fix.timestamp) }
        let location = location(of: fix, at: time)
        try add(location, to: .location, &messages)
        if running != trip {
            try add(crossing(location, isEntry: running == nil), to: .geofence, &messages)
            if let trip { try add(event(of: trip, at: time, isOver: true), &messages) }
            revision = 0
            trip = running
        }
        if let trip, next % 6 == 0 { try add(event(of: trip, at: time, isOver: false), &messages) }
        next += 1
    }

    private mutating func number() -> Int64 {
        seq += 1
        return seq
    }

    private func uuid(_ seq: Int64) -> String {
        let digits = String(seq, radix: 16)
        return "0192f0c4-7d5e-7a31-8b52-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    private mutating func location(of fix: Fix, at time: Timestamp) -> LocationEvent {
        let speed = ((fix.speedMetersPerSecond ?? 0) * 100).rounded() / 100
        odometer += speed > 0.5 ? speed * 10 : 0
        func degrees(_ value: Double) -> Double { (value * 1e7).rounded() / 1e7 }
        let isMoving = day.trips.contains { $0.contains(fix.timestamp) }
        return LocationEvent(
            timestamp: time, age: 120, isMoving: isMoving, odometer: (odometer * 10).rounded() / 10,
            odometerError: (odometer * 0.002 * 10).rounded() / 10,
            coords: LocationCoordinates(
                latitude: degrees(fix.coordinate.latitudeDegrees - offset),
                longitude: degrees(fix.coordinate.longitudeDegrees + offset),
                accuracy: ((fix.accuracyMeters ?? -1) * 10).rounded() / 10, speed: speed,
                heading: ((fix.headingDegrees ?? -1) * 10).rounded() / 10, altitude: 171.3,
                ellipsoidalAltitude: 214.9),
            activity: ActivityReading(type: isMoving ? .inVehicle : .still, confidence: isMoving ? 97 : 99),
            extras: ["driver": .string("driver-\(offset)"), "order": .integer(48_213)])
    }

    private func crossing(_ location: LocationEvent, isEntry: Bool) -> LocationEvent {
        var event = location
        event.event = .geofence
        event.geofence = GeofenceTrigger(
            identifier: "depot", action: isEntry ? .enter : .exit, occurredAt: location.timestamp,
            confirmedAt: location.timestamp)
        return event
    }

    private mutating func event(
        of trip: Range<Timestamp>, at time: Timestamp, isOver: Bool
    ) -> TimelineEventRevision {
        revision += 1
        let start = trip.lowerBound.advanced(bySeconds: Double(rounds) * 86_400)
        var event = TimelineEventRevision(
            eventID: "\(start.millisecondsSinceEpoch)-\(address.device)", uuid: nil, epoch: nil, seq: nil,
            revision: revision, isProvisional: !isOver, type: .inTransport, startDate: start,
            endDate: isOver ? time : nil, lastUpdateDate: time.advanced(byMilliseconds: Int64(revision)),
            duration: time.seconds(since: start))
        event.transportMode = .car
        event.distanceInMeters = odometer
        guard isOver else { return event }
        event.waypoints = day.fixes.filter { trip.contains($0.timestamp) }.prefix(12).map { fix in
            Waypoint(
                latitude: fix.coordinate.latitudeDegrees, longitude: fix.coordinate.longitudeDegrees,
                accuracy: fix.accuracyMeters ?? -1, timestamp: fix.timestamp, speed: fix.speedMetersPerSecond ?? -1)
        }
        return event
    }

    private mutating func add(
        _ event: LocationEvent, to channel: UplinkChannel, _ messages: inout [FleetStream.Message]
    ) throws {
        var event = event
        let seq = number()
        (event.uuid, event.epoch, event.seq) = (uuid(seq), 1_795_000_000, seq)
        let message = LocationMessage(deviceID: address.device, location: event)
        messages.append(
            FleetStream.Message(topic: address.topic(channel), payload: try JSONCoder.bytes(of: message)))
    }

    private mutating func add(_ event: TimelineEventRevision, _ messages: inout [FleetStream.Message]) throws {
        var event = event
        let seq = number()
        (event.uuid, event.epoch, event.seq) = (uuid(seq), 1_795_000_000, seq)
        let message = TimelineMessage(deviceID: address.device, timelineEvent: event)
        messages.append(
            FleetStream.Message(topic: address.topic(.timeline), payload: try JSONCoder.bytes(of: message)))
    }
}
