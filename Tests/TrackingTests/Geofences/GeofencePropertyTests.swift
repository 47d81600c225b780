import OdographCivilTime
import OdographCrontab
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// Seeded drives over random geofences, through the whole tracker.
@Suite("Geofences on drives")
struct GeofencePropertyTests {
    private static func fences(seed: UInt64, around center: Coordinate) throws -> [Geofence] {
        var random = SplitMix64(seed: seed)
        return try (0..<60).map { index in
            let place = center.destination(
                headingDegrees: .random(in: 0..<360, using: &random),
                distanceMeters: .random(in: 0..<4000, using: &random))
            let radius = Double.random(in: 15..<600, using: &random)
            var fence = Geofence(identifier: "f\(index)", shape: try shape(index, place, radius, &random))
            fence.rule.notifiesOnDwell = index.isMultiple(of: 3)
            fence.rule.loiteringDelaySeconds = .random(in: 0..<400, using: &random)
            if index.isMultiple(of: 4) { fence.rule.speedLimitMetersPerSecond = 9 }
            if index.isMultiple(of: 5) { fence.rule.schedule = try Schedule("*/3 * * * *") }
            if index.isMultiple(of: 7) { fence.rule.initialTrigger = .none }
            return fence
        }
    }

    private static func shape(
        _ index: Int, _ place: Coordinate, _ radius: Double, _ random: inout SplitMix64
    ) throws -> Shape {
        switch index % 3 {
        case 0: return .circle(try Circle(center: place, radiusMeters: radius))
        case 1:
            let ring = (0..<12).map {
                place.destination(
                    headingDegrees: Double($0) * 30, distanceMeters: radius * .random(in: 0.5...1, using: &random))
            }
            return .polygon(try Polygon(rings: [ring]))
        default:
            let heading = Double.random(in: 0..<360, using: &random)
            let end = place.destination(headingDegrees: heading, distanceMeters: 5 * radius)
            return .corridor(try Corridor(path: [place, end], halfWidthMeters: max(radius / 8, 10)))
        }
    }

    private static func inputs(seed: UInt64, interval: Double = 1) -> [TrackerInput] {
        var random = SplitMix64(seed: seed &+ 99)
        var drive = SimulatedDrive(seed: seed)
        drive.interval = interval
        drive.accuracyMeters = [3, 8, 15].randomElement(using: &random) ?? 4
        drive.speedNoise = Bool.random(using: &random) ? 0.15 : nil
        var inputs: [TrackerInput] = [.started(at: ClockReading(replayed: drive.now))]
        for _ in 0..<8 {
            let before = drive.fixes.count
            let seconds = Double.random(in: 60..<500, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: drive.stand(seconds: seconds)
            case 2: drive.walk(seconds: seconds)
            case 3:
                drive.silence(seconds: seconds / 4)
                if Bool.random(using: &random) { inputs.append(.started(at: ClockReading(replayed: drive.now))) }
            default: drive.drive(seconds: seconds)
            }
            inputs += drive.fixes[before...].map { .fix($0) }
        }
        return inputs
    }

    private static func tracker(_ set: GeofenceSet) -> Tracker {
        var tracker = Tracker(seed: (1, 2))
        _ = tracker.replaceGeofences(set, zone: .utc, at: ClockReading(replayed: FenceScene.start))
        return tracker
    }

    private static func events(_ inputs: [TrackerInput], _ set: GeofenceSet) -> [GeofenceEvent] {
        var tracker = tracker(set)
        return inputs.flatMap { tracker.handle($0) }.compactMap(\.geofence)
    }

    @Test("Visits alternate, and last from one crossing to the other", arguments: 1...12)
    func alternating(seed: UInt64) throws {
        let inputs = Self.inputs(seed: seed)
        let place = try #require(inputs.firstFix)
        let set = GeofenceSet(try Self.fences(seed: seed, around: place).map(\.loud))
        let events = Self.events(inputs, set)
        #expect(!events.isEmpty)
        for (identifier, list) in Dictionary(grouping: events, by: \.identifier) {
            var enter: GeofenceEvent?
            for event in list {
                #expect(event.occurredAt <= event.confirmedAt)
                switch event.action {
                case .enter:
                    #expect(enter == nil, "\(identifier)")
                    enter = event
                case .exit:
                    let begin = try #require(enter, "\(identifier)")
                    #expect(event.dwellSeconds == event.occurredAt.seconds(since: begin.occurredAt))
                    enter = nil
                case .dwell:
                    let begin = try #require(enter, "\(identifier)")
                    #expect(event.occurredAt >= begin.occurredAt)
                case .cross: #expect(enter == nil && (event.exitedAt ?? event.occurredAt) >= event.occurredAt)
                case .overspeed: #expect((event.peakSpeedMetersPerSecond ?? 0) > 9)
                }
            }
        }
    }

    @Test("A geofence publishes the same events among many as alone", arguments: 1...6)
    func independent(seed: UInt64) throws {
        let inputs = Self.inputs(seed: seed)
        let fences = try Self.fences(seed: seed, around: try #require(inputs.firstFix))
        let together = Dictionary(
            grouping: Self.events(inputs, GeofenceSet(fences)), by: \.identifier)
        for fence in fences.prefix(20) {
            #expect(Self.events(inputs, GeofenceSet([fence])) == together[fence.identifier] ?? [])
        }
    }

    @Test(
        "A vehicle published as inside is within the margin, and one deep inside for a minute is published",
        arguments: 1...6)
    func truth(seed: UInt64) throws {
        let inputs = Self.inputs(seed: seed)
        let set = GeofenceSet(try Self.fences(seed: seed, around: try #require(inputs.firstFix)).map(\.loud))
        var tracker = Self.tracker(set)
        var deepSince: [ShapeIndex.Slot: Timestamp] = [:]
        for input in inputs {
            _ = tracker.handle(input)
            guard case .fix(let fix) = input else {
                deepSince = [:]
                continue
            }
            let inside = Set(tracker.geofencesInside.identifiers)
            for slot in 0..<set.index.slotLimit {
                let isDeep = set.index.signedDistanceMeters(slot, to: fix.coordinate) < -25
                if !isDeep { deepSince[slot] = nil } else if deepSince[slot] == nil { deepSince[slot] = fix.timestamp }
                guard let since = deepSince[slot], fix.timestamp.seconds(since: since) > 60,
                    set.index.equivalentRadiusMeters(slot) > 60
                else { continue }
                #expect(inside.contains(set.identifier(slot) ?? ""))
            }
        }
    }

    @Test("Additional ticks make no difference", arguments: 1...4)
    func ticks(seed: UInt64) throws {
        let inputs = Self.inputs(seed: seed)
        let set = GeofenceSet(try Self.fences(seed: seed, around: try #require(inputs.firstFix)))
        let dense = inputs.flatMap { input -> [TrackerInput] in
            if case .started = input { [input] } else { [.tick(input.clockReading), input, .tick(input.clockReading)] }
        }
        #expect(Self.events(inputs, set) == Self.events(dense, set))
    }

    @Test("After a kill, the saved state, the set and the journal give the same events", arguments: 1...4)
    func killed(seed: UInt64) throws {
        let inputs = Self.inputs(seed: seed)
        let fences = try Self.fences(seed: seed, around: try #require(inputs.firstFix))
        let set = GeofenceSet(fences)
        var tracker = Self.tracker(set)
        var saved = try JSONEncoder().encode(tracker)
        var journal = InputJournal()
        var told: [GeofenceEvent] = []
        for (index, input) in inputs.enumerated() {
            told += tracker.handle(input).compactMap(\.geofence)
            _ = journal.append(input)
            if index % 397 == 0 {
                saved = try JSONEncoder().encode(tracker)
                journal.removeAll()
            }
            guard index % 101 == 100 else { continue }
            var again = try JSONDecoder().decode(Tracker.self, from: saved)
            // A file may contain the geofences in another order.
            let isAdopted = again.attachGeofences(GeofenceSet(fences.reversed()), zone: .utc)
            #expect(isAdopted)
            for input in try InputJournal.inputs(in: journal.bytes) { _ = again.handle(input) }
            #expect(again == tracker)
            tracker = again
        }
        #expect(told == Self.events(inputs, set))
    }
}

extension Geofence {
    /// The same geofence without rules that suppress events.
    fileprivate var loud: Geofence {
        var copy = self
        copy.rule.initialTrigger = .enter
        copy.rule.schedule = nil
        return copy
    }
}

extension [TrackerInput] {
    fileprivate var firstFix: Coordinate? {
        for case .fix(let fix) in self { return fix.coordinate }
        return nil
    }
}

extension TrackerOutput {
    var geofence: GeofenceEvent? { location?.geofence }
}
