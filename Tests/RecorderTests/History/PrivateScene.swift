import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire

@testable import OdographRecorder

/// A random timeline in which private use borders on everything, with positions at random times and at all boundaries:
/// private use ends exactly at the first position after it, and begins exactly at the last one before it.
struct PrivateScene {
    /// How an event is private, or not.
    enum Use: CaseIterable {
        case ordinary, tagged
        /// Private time by the schedule, by a program with a tag, and of an agent that does not say so.
        case privateTime, privateTimeWithTag, unmarked
        /// The tag `private`: recorded whole.
        case privateTag

        var isPrivate: Bool { self != .ordinary && self != .tagged }
        var hasPositions: Bool { !isPrivate || self == .privateTag }

        var tag: String? {
            switch self {
            case .ordinary, .privateTime, .unmarked: nil
            case .tagged: "late"
            case .privateTimeWithTag: "weekend"
            case .privateTag: "private"
            }
        }
    }

    struct Event {
        let id: String
        let use: Use
        let isTrip: Bool
        let start: Timestamp
        let end: Timestamp
        let driver: String?
    }

    struct Position {
        let time: Timestamp
        let driver: String?
        /// Whether the vehicle was in private use: it then has the tag of it.
        let isPrivate: Bool
    }

    /// The latitudes of the positions, by which their use is known in each output.
    static let (publicLatitude, privateLatitude) = (40.0, 51.2345)

    private(set) var events: [Event] = []
    private(set) var positions: [Position] = []
    /// The messages, each with the time at which it can have been sent.
    private(set) var sent: [(time: Timestamp, message: Archive.Message)] = []
    let end: Timestamp

    /// The messages in a random order.
    let messages: [Archive.Message]

    /// - Parameter isOpen: Whether the last event lasts, and is private.
    init(seed: UInt64, events count: Int, isOpen: Bool = false) throws {
        var random = SplitMix64(seed: seed)
        let drivers = ["anna", "ben", nil]
        var (time, seq) = (instant("2026-11-21T00:00:00Z"), Int64(0))
        var times: Set<Timestamp> = []
        for number in 0..<count {
            let end = time.advanced(byMilliseconds: .random(in: 60_000...5_400_000, using: &random))
            let isLast = isOpen && number == count - 1
            // Private events often follow each other, and each other kind often borders on them.
            let use = isLast ? .privateTag : Use.allCases.randomElement(using: &random) ?? .ordinary
            let (isTrip, driver) = (Bool.random(using: &random), drivers.randomElement(using: &random) ?? nil)
            seq += 1
            let event = Event(
                id: "e\(number)", use: use, isTrip: isTrip, start: time, end: end,
                driver: use.hasPositions ? driver : nil)
            events.append(event)
            sent.append((end, try Self.message(seq, event, isLast: isLast)))
            if use.hasPositions {
                let milliseconds = end.millisecondsSinceEpoch - time.millisecondsSinceEpoch
                // Two positions within a minute can be too fast in a row, also across a boundary.
                let inside = Int64.random(in: 1..<milliseconds, using: &random)
                for offset in [0, inside, inside + 60_000, milliseconds - 50_000] where offset < milliseconds {
                    times.insert(time.advanced(byMilliseconds: offset))
                }
            }
            // The last position before private time can have the time of its beginning.
            if number > 0, events[number - 1].use.hasPositions, !use.hasPositions { times.insert(time) }
            time = end
        }
        end = time
        for time in times.sorted() {
            // Of a position at a boundary with private time, the event before it says the use.
            let event = events.last { $0.start <= time && $0.use.hasPositions && time <= $0.end }
            let position = Position(
                time: time, driver: drivers.randomElement(using: &random) ?? nil,
                isPrivate: event?.use.isPrivate ?? false)
            seq += 1
            positions.append(position)
            sent.append((time, try Self.message(seq, position, tag: event?.use.tag, using: &random)))
        }
        sent.sort { $0.time < $1.time }
        messages = sent.map(\.message).shuffled(using: &random)
    }

    private static func message(_ seq: Int64, _ event: Event, isLast: Bool) throws -> Archive.Message {
        try Payloads.event(
            seq, event.id, from: event.start.iso8601, to: isLast ? nil : event.end.iso8601,
            meters: event.isTrip ? 1000 : nil, tag: event.use.tag, isPrivate: !event.use.hasPositions,
            isMarked: event.use != .unmarked, place: "Secret \(event.id).", driver: event.driver,
            carriedMeters: event.isTrip && event.use.hasPositions ? 70 : nil)
    }

    /// Returns a record of each kind that triggers a rule.
    private static func message(
        _ seq: Int64, _ position: Position, tag: String?, using random: inout SplitMix64
    ) throws -> Archive.Message {
        let latitude = position.isPrivate ? privateLatitude : publicLatitude
        let driver = position.driver.map { JSONValue.string($0) }
        let kind = Int.random(in: 0..<8, using: &random)
        return try Payloads.position(
            seq, at: position.time.iso8601, latitude: latitude, driver: driver,
            speed: Bool.random(using: &random) ? 50 : 5, geofence: kind < 2 ? "depot" : nil
        ) { event in
            event.tag = tag
            switch kind {
            case 1:
                event.geofence?.action = .overspeed
            case 2:
                event.event = .driving
                event.driving = DrivingReading(kind: .braking, peakG: 0.6, duration: 1, startedAt: position.time)
            case 3:
                event.event = .beacon
                event.beacon = BeaconReading(identifier: "trailer", action: .enter, rssi: -70)
            default: break
            }
        }
    }

    /// Returns the trips of a driver that a report may tell.
    func trips(of driver: String) -> [String] {
        events.filter { event in
            event.isTrip && !event.use.isPrivate
                && (event.driver == driver
                    || positions.contains { $0.driver == driver && $0.time >= event.start && $0.time < event.end })
        }.map(\.id)
    }

    /// The instants that only private events have: between two of them.
    var secretTimes: [Timestamp] {
        zip(events, events.dropFirst()).filter { $0.use.isPrivate && $1.use.isPrivate }.map(\.1.start)
    }

    /// The names of the places of private stops.
    var secretNames: [String] { events.filter { $0.use.isPrivate && !$0.isTrip }.map { "Secret \($0.id)." } }

    /// Returns whether an instant is of private use.
    func isPrivate(_ time: Timestamp) -> Bool {
        events.contains { $0.use.isPrivate && $0.start <= time && time < $0.end }
    }

    /// The instants that what is not private has.
    var publicTimes: Set<Timestamp> {
        Set(
            positions.filter { !$0.isPrivate }.map(\.time)
                + events.filter { !$0.use.isPrivate }.flatMap { [$0.start, $0.end] })
    }
}
