import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// A run of a tracker during which the program is updated several times.
struct UpdatedRun {
    /// The remaining part of the state after an update.
    enum Remains: CaseIterable {
        /// The current state without the movement of the last minutes.
        case parts
        /// The same of an older state, and the inputs since.
        case journal
        /// The same of an older state, and the odometer's readings since.
        case brokenJournal
        /// The complete state, older than the last published events.
        case stale
        /// No state.
        case nothing
    }

    let remains: Remains
    var tracker = Tracker(seed: (1, 2))
    private(set) var events: [TimelineEvent] = []
    private(set) var outputs: [TrackerOutput] = []
    private(set) var updates: UInt64 = 0
    private var saved: Tracker
    private var journal = InputJournal()

    init(_ remains: Remains) {
        self.remains = remains
        saved = tracker
    }

    mutating func take(_ input: TrackerInput) {
        take(tracker.handle(input))
        if !journal.append(input) { save() }
    }

    mutating func take(_ outputs: [TrackerOutput]) {
        self.outputs += outputs
        events += outputs.compactMap(\.event)
    }

    mutating func save() {
        saved = tracker
        journal.removeAll()
    }

    mutating func update() throws {
        updates += 1
        let old = tracker
        switch remains {
        case .parts: tracker = try Self.recovered(from: old)
        case .journal, .brokenJournal:
            tracker = try Self.recovered(from: saved)
            let entry = InputJournalEntry(
                journal, sourceOrdinal: 7, odometerMeters: old.odometerMeters,
                odometerErrorMeters: old.odometerErrorMeters)
            let isWhole = remains == .journal
            if isWhole { for input in entry.inputs.readable { _ = tracker.handle(input) } }
            let read = try InputJournalEntry(bytes: entry.bytes)
            tracker.restoreOdometer(
                meters: read.odometerMeters, errorMeters: read.odometerErrorMeters, isPositionKnown: isWhole)
        case .stale: tracker = saved
        case .nothing: tracker = Tracker(configuration: old.configuration, seed: (9, updates))
        }
        let lasting = events.latest.filter(\.isProvisional)
        let update = events.map(\.lastUpdate).max()
        let quality: RecoveryQuality =
            switch remains {
            case .parts, .journal: .approximate
            case .brokenJournal, .nothing: .incomplete
            case .stale: .exact
            }
        take(tracker.resume(after: lasting, lastUpdate: update, quality: quality, seed: (8, updates)))
        if remains != .stale, remains != .nothing {
            #expect(abs(tracker.odometerMeters - old.odometerMeters) < 0.06)
            // The error contains the uncertain distance of a stop until it is counted.
            let errors = old.odometer.standardErrors
            let least =
                (errors.randomMeters * errors.randomMeters + errors.scaleMeters * errors.scaleMeters
                + errors.detourMeters * errors.detourMeters).squareRoot() * 1.96
            #expect(tracker.odometerErrorMeters > least - 0.06)
            #expect(tracker.schedule == old.schedule)
        }
        if remains == .parts {
            #expect(tracker.lastFix == old.lastFix)
            #expect(tracker.isMoving == old.isMoving)
        }
        save()
    }

    private static func recovered(from old: Tracker) throws -> Tracker {
        let text = String(decoding: try JSONEncoder().encode(old), as: UTF8.self)
        let lost = text.split(separator: "\"probabilities\"").joined(separator: "\"chances\"")
        let saved = try JSONDecoder().decode(SavedTracker.self, from: Data(lost.utf8))
        #expect(!saved.isWhole)
        return saved.tracker
    }
}

@Suite("A program update replaces the tracker")
struct RecoveryTests {
    @Test("No fault causes a gap, an overlap, a revised final event or a repeated identifier", arguments: 1...20)
    func wild(seed: UInt64) throws {
        var run = UpdatedRun(.parts)
        var last: ClockReading?
        for (index, event) in WildDay(seed: seed).events.enumerated() {
            var isStart = false
            switch event {
            case .input(let input):
                last = input.clockReading
                if case .started = input {
                    isStart = true
                } else {
                    run.take(run.tracker.takeDated(at: input.clockReading))
                }
                if isStart { try run.update() }
                run.take(input)
            case .position(let position):
                last = position.fix.received
                run.take(run.tracker.take(position))
            }
            // A replay continues without a start.
            if index % (101 + Int(seed)) == 0 { try run.update() }
        }
        if let last { run.take(run.tracker.finish(at: last)) }
        run.events.expectWellFormed()
        #expect(run.updates > 0)
    }

    @Test(
        "The timeline stays valid with any part of the state", arguments: UpdatedRun.Remains.allCases,
        1...6 as ClosedRange<UInt64>)
    func remains(_ remains: UpdatedRun.Remains, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var run = UpdatedRun(remains)
        let inputs =
            remains == .parts || remains == .journal
            ? TimelinePropertyTests().inputs(seed: seed) : Self.day(seed: seed)
        for input in inputs {
            if Int.random(in: 0..<400, using: &random) == 0 { try run.update() }
            if Int.random(in: 0..<200, using: &random) == 0 { run.save() }
            if case .started = input { try run.update() }
            run.take(input)
        }
        if let last = inputs.last { run.take(run.tracker.finish(at: last.clockReading)) }
        run.events.expectWellFormed()
        #expect(run.updates > 0)
    }

    @Test(
        "A parked vehicle stays parked over any number of updates", arguments: [4.0, 12, 30],
        1...2 as ClosedRange<UInt64>)
    func parked(accuracyMeters: Double, seed: UInt64) throws {
        var drive = SimulatedDrive(seed: seed)
        drive.drive(seconds: 300)
        drive.accuracyMeters = accuracyMeters
        drive.stand(seconds: 2400)
        var run = UpdatedRun(.parts)
        var undisturbed = Tracker(seed: (1, 2))
        var told: [TimelineEvent] = []
        for (index, fix) in drive.fixes.enumerated() {
            run.take(.fix(fix))
            told += undisturbed.handle(.fix(fix)).compactMap(\.event)
            if index > 600, index % 300 == 0 { try run.update() }
        }
        #expect(run.events.latest.map(\.letter) == told.latest.map(\.letter))
        #expect(abs(run.tracker.odometerMeters - undisturbed.odometerMeters) < 1)
        #expect(!run.tracker.isMoving)
    }

    @Test(
        "A halt is withdrawn and joins its trip, whenever during it the program is updated",
        arguments: Array(stride(from: 10, to: 240, by: 23)))
    func halt(second: Int) throws {
        // It arrives after a stop of 600 s and a drive of 300 s.
        let latest = try events(of: .halting(seconds: 200), updatedAt: 900 + second).latest
        #expect(latest.map(\.letter) == ["S", "D", "S"])
        let trip = try #require(latest.dropFirst().first)
        guard case .transport(let way) = trip.kind else { return }
        #expect(abs(way.distanceMeters - 7200) < 0.02 * 7200)
        let first = try #require(way.waypoints.first)
        #expect(first.timestamp <= trip.start.advanced(bySeconds: 30))
    }

    @Test(
        "A trip and its halt continue as published, at any age of the saved state", arguments: [60, 150],
        [170, 230])
    func haltSaved(saved: Int, updated: Int) throws {
        var track = Track()
        track.stand(seconds: 600)
        track.go(seconds: 300, metersPerSecond: 12)
        let arrived = track.fixes.count
        track.stand(seconds: 200)
        track.go(seconds: 300, metersPerSecond: 12)
        track.stand(seconds: 900)
        var run = UpdatedRun(.journal)
        for (index, fix) in track.fixes.enumerated() {
            run.take(.fix(fix))
            if index == arrived + saved { run.save() }
            if index == arrived + updated { try run.update() }
        }
        run.take(run.tracker.finish(at: track.moment()))
        run.events.expectWellFormed()
        #expect(run.events.latest.map(\.letter) == ["S", "D", "S"])
        let trip = try #require(run.events.latest.dropFirst().first)
        guard case .transport(let way) = trip.kind else { return }
        #expect(abs(way.distanceMeters - 7200) < 0.02 * 7200)
        #expect(try #require(way.waypoints.first).timestamp <= trip.start.advanced(bySeconds: 30))
    }

    @Test(
        "After a turn back the stop continues, whenever during the walk the program is updated",
        arguments: Array(stride(from: 4, to: 120, by: 11)))
    func turnsBack(second: Int) throws {
        #expect(try events(of: .turningBack(), updatedAt: 600 + second).latest.map(\.letter) == ["S"])
    }

    /// Returns the published events of a track, to its end, with an update after one of its fixes.
    private func events(of track: Track, updatedAt updated: Int) throws -> [TimelineEvent] {
        var run = UpdatedRun(.parts)
        for (index, fix) in track.fixes.enumerated() {
            run.take(.fix(fix))
            if index == updated { try run.update() }
        }
        run.take(run.tracker.finish(at: track.moment()))
        run.events.expectWellFormed()
        return run.events
    }

    @Test(
        "A drive keeps its distance over any number of updates", arguments: [1.0, 10, 30],
        1...2 as ClosedRange<UInt64>)
    func drive(interval: Double, seed: UInt64) throws {
        var drive = SimulatedDrive(seed: seed)
        drive.interval = interval
        drive.drive(seconds: 1800)
        var run = UpdatedRun(.parts)
        var undisturbed = Tracker()
        for (index, fix) in drive.fixes.enumerated() {
            _ = undisturbed.handle(.fix(fix))
            run.take(.fix(fix))
            if index > 0, index % Int(300 / interval) == 0 { try run.update() }
        }
        // The tortuosity of the roads has to be learnt again.
        let difference = run.tracker.odometerMeters - undisturbed.odometerMeters
        #expect(abs(difference) < 0.003 * drive.trueMeters)
        #expect(run.tracker.odometerErrorMeters > 0.95 * undisturbed.odometerErrorMeters)
        #expect(run.events.latest.map(\.letter) == ["D"])
    }

    /// Returns drives, walks, stops, gaps and starts, with a receiver that reports the time.
    private static func day(seed: UInt64) -> [TrackerInput] {
        var random = SplitMix64(seed: seed)
        var drive = SimulatedDrive(seed: seed)
        var inputs: [TrackerInput] = [.started(at: ClockReading(replayed: drive.now))]
        for _ in 0..<12 {
            let before = drive.fixes.count
            let seconds = Double.random(in: 20..<900, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: drive.walk(seconds: seconds / 2)
            case 1: drive.stand(seconds: seconds)
            case 2: drive.silence(seconds: seconds)
            case 3:
                drive.silence(seconds: seconds)
                inputs.append(.started(at: ClockReading(replayed: drive.now)))
            default: drive.drive(seconds: seconds)
            }
            inputs += drive.fixes[before...].map { .fix($0) }
        }
        return inputs
    }
}
