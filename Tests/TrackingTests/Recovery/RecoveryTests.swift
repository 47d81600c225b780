import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// A run of a tracker during which the program is restarted several times.
struct UpdatedRun {
    /// The remaining part of the state after a start.
    enum Remains: CaseIterable {
        /// The current state.
        case state
        /// An older state, and the inputs since.
        case journal
        /// An older state without the movement of its last minutes, and the odometer's readings since.
        case brokenJournal
        /// An older state, whose run has published later events.
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
        case .state: tracker = try Self.readBack(old)
        case .journal, .brokenJournal:
            tracker = try Self.readBack(saved)
            let entry = InputJournalEntry(
                journal, sourceOrdinal: 7, odometerMeters: old.odometerMeters,
                odometerErrorMeters: old.odometerErrorMeters)
            let read = try InputJournalEntry(bytes: entry.bytes)
            if remains == .journal {
                for input in read.inputs.readable { _ = tracker.handle(input) }
            } else {
                tracker.restoreOdometer(
                    meters: read.odometerMeters, errorMeters: read.odometerErrorMeters, isPositionKnown: false)
            }
        case .stale: tracker = saved
        case .nothing: tracker = Tracker(configuration: old.configuration, seed: (9, updates))
        }
        let lasting = events.latest.filter(\.isProvisional)
        let update = events.map(\.lastUpdate).max()
        let quality: RecoveryQuality =
            switch remains {
            case .brokenJournal, .nothing: .incomplete
            case .state, .journal, .stale: .exact
            }
        take(tracker.resume(after: lasting, lastUpdate: update, quality: quality, seed: (8, updates)))
        switch remains {
        case .state, .journal: #expect(tracker == old)
        case .brokenJournal: #expect(abs(tracker.odometerMeters - old.odometerMeters) < 0.06)
        case .stale, .nothing: break
        }
        save()
    }

    private static func readBack(_ tracker: Tracker) throws -> Tracker {
        try JSONDecoder().decode(Tracker.self, from: try JSONEncoder().encode(tracker))
    }
}

@Suite("A start continues a saved tracker")
struct RecoveryTests {
    @Test("No fault causes a gap, an overlap, a revised final event or a repeated identifier", arguments: 1...20)
    func wild(seed: UInt64) throws {
        var run = UpdatedRun(.state)
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
            remains == .state || remains == .journal
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
