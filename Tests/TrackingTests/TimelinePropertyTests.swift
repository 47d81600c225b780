import OdographHarness
import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Timeline properties on random days")
struct TimelinePropertyTests {
    /// Returns a random day: drives, walks, stops, gaps, source changes, restarts, disabled tracking, schedule changes,
    /// configuration changes and clock steps.
    func inputs(seed: UInt64, ticks: Bool = false) -> [TrackerInput] {
        var random = SplitMix64(seed: seed)
        var drive = SimulatedDrive(seed: seed)
        drive.interval = [0.5, 1, 5, 30].randomElement(using: &random) ?? 1
        drive.speedNoise = Bool.random(using: &random) ? 0.15 : nil
        drive.accuracyMeters = [3, 8, 20].randomElement(using: &random) ?? 4
        var inputs: [TrackerInput] = [.started(at: ClockReading(replayed: drive.now))]
        // The offset of the receiver's clock, and of the machine's clock after it.
        var shift = 0.0
        for _ in 0..<12 {
            let before = drive.fixes.count
            let seconds = Double.random(in: 20..<900, using: &random)
            switch Int.random(in: 0..<11, using: &random) {
            case 0, 1: drive.stand(seconds: seconds)
            case 2: drive.walk(seconds: seconds / 2)
            case 3: drive.silence(seconds: seconds)
            case 4:
                inputs.append(
                    .source([.lost, .noFix].randomElement(using: &random) ?? .lost, at: moment(drive, shift)))
                drive.silence(seconds: seconds)
                inputs.append(.source(.available, at: moment(drive, shift)))
            case 5:
                drive.silence(seconds: seconds)
                inputs.append(.started(at: moment(drive, shift)))
            case 6 where Bool.random(using: &random):
                var off = TrackingConfiguration()
                off.isEnabled = false
                inputs.append(.configuration(off, at: moment(drive, shift)))
                drive.silence(seconds: seconds)
                inputs.append(.configuration(TrackingConfiguration(), at: moment(drive, shift)))
            case 7:
                let mode = OffScheduleRule.Mode.allCases.randomElement(using: &random) ?? .tag
                inputs.append(.schedule(.closed(OffScheduleRule(mode: mode)), at: moment(drive, shift)))
                if Bool.random(using: &random) { drive.drive(seconds: seconds) } else { drive.stand(seconds: seconds) }
                inputs += drive.fixes[before...].map { .fix(shifted($0, shift)) }
                inputs.append(.schedule(.open, at: moment(drive, shift)))
                continue
            case 8:
                var rules = TrackingConfiguration()
                rules.timeline.updateIntervalSeconds = Double.random(in: 1...600, using: &random)
                rules.timeline.gapSeconds = Double.random(in: 10...900, using: &random)
                rules.stationary.intervalSeconds = Double.random(in: 30...600, using: &random)
                rules.timeline.shortestStopSeconds = Double.random(in: 0...900, using: &random)
                inputs.append(.configuration(rules, at: moment(drive, shift)))
                drive.stand(seconds: seconds)
            case 9: shift += [-18, -1, 2, 18, 86_400, 5e8].randomElement(using: &random) ?? 0
            default: drive.drive(seconds: seconds)
            }
            inputs += drive.fixes[before...].map { .fix(shifted($0, shift)) }
        }
        guard ticks else { return inputs }
        return inputs.flatMap { input -> [TrackerInput] in
            // The agent is off.
            if case .started = input { return [input] }
            return Bool.random(using: &random)
                ? [.tick(input.clockReading), input] : [input, .tick(input.clockReading)]
        }
    }

    private func moment(_ drive: SimulatedDrive, _ shift: Double) -> ClockReading { moment(drive.now, shift) }

    /// Returns the reading of the clocks at a true instant.
    private func moment(_ time: Timestamp, _ shift: Double) -> ClockReading {
        ClockReading(
            systemTime: time.advanced(bySeconds: shift), uptimeMilliseconds: time.millisecondsSinceEpoch,
            isSystemTimeTrusted: true)
    }

    private func shifted(_ fix: Fix, _ shift: Double) -> Fix {
        var copy = fix
        copy.received = moment(fix.timestamp, shift)
        copy.timestamp = copy.received.systemTime
        return copy
    }

    private func outputs(_ inputs: [TrackerInput], seed: (UInt64, UInt64) = (1, 2)) -> [TrackerOutput] {
        var tracker = Tracker(seed: seed)
        return inputs.flatMap { tracker.handle($0) }
    }

    @Test("The timeline has no gap and no overlap, and revisions count up while updates go forward", arguments: 1...40)
    func wellFormed(seed: UInt64) {
        let revisions = outputs(inputs(seed: seed)).compactMap(\.event)
        for (earlier, later) in zip(revisions, revisions.dropFirst()) { #expect(earlier.lastUpdate < later.lastUpdate) }
        var known: [TimelineEventID: TimelineEvent] = [:]
        for event in revisions {
            #expect(event.revision == (known[event.id]?.revision ?? 0) + 1)
            #expect(known[event.id]?.isProvisional ?? true)
            #expect(event.isProvisional || event.end != nil)
            #expect(event.isWithdrawn == false || event.kind == .unknown && event.end == event.start)
            #expect(known[event.id].map { $0.start == event.start } ?? true)
            known[event.id] = event
            // Except for leaps, only the last ended event may continue.
            let open = known.values.filter {
                $0.isProvisional && $0.durationSeconds <= PublishedInterval.longestPlausibleGapSeconds
            }
            #expect(open.count { $0.end != nil } <= 1 && open.count <= 2, "\(event)")
        }
        let last = revisions.latest
        for (earlier, later) in zip(last, last.dropFirst()) {
            #expect(earlier.end == later.start, "\(earlier) then \(later)")
            #expect(earlier.end.map { $0 >= earlier.start } ?? false)
        }
        revisions.expectInvariants()
        #expect(last.count { $0.isProvisional && $0.end == nil } <= 1)
    }

    @Test("The last published event is the open one", arguments: 1...20)
    func newest(seed: UInt64) {
        var tracker = Tracker(seed: (1, 2))
        for input in inputs(seed: seed) {
            let told = tracker.handle(input).compactMap(\.event).last
            #expect(told == nil || told?.id == tracker.timeline.events.open?.id && told?.end == nil)
        }
    }

    @Test("Two runs with the same input are equal, and the identifiers depend on the seed")
    func deterministic() {
        let inputs = inputs(seed: 7)
        #expect(outputs(inputs) == outputs(inputs))
        let one = outputs(inputs).compactMap(\.event?.id)
        let other = outputs(inputs, seed: (1, 3)).compactMap(\.event?.id)
        #expect(Set(one).isDisjoint(with: other))
        #expect(one.first?.description.count == 36)
        #expect(one.allSatisfy { $0.description.dropFirst(14).first == "8" })
    }

    @Test("Additional ticks make no difference", arguments: 1...12)
    func ticks(seed: UInt64) {
        let sparse = outputs(inputs(seed: seed))
        let dense = outputs(inputs(seed: seed, ticks: true))
        #expect(sparse == dense)
    }

    @Test("Saving and loading between inputs does not change the outputs", arguments: 1...8)
    func saved(seed: UInt64) throws {
        let inputs = inputs(seed: seed)
        let whole = outputs(inputs)
        var tracker = Tracker(seed: (1, 2))
        var parts: [TrackerOutput] = []
        for (index, input) in inputs.enumerated() {
            if index % (40 + Int(seed)) == 0 {
                let data = try JSONEncoder().encode(tracker)
                #expect(data.count < 60_000)
                let loaded = try JSONDecoder().decode(Tracker.self, from: data)
                #expect(loaded == tracker)
                tracker = loaded
            }
            parts += tracker.handle(input)
        }
        #expect(parts == whole)
    }

    @Test("After a kill, the last saved state and the journal give the same state", arguments: 1...8)
    func killed(seed: UInt64) throws {
        var tracker = Tracker(seed: (1, 2))
        var saved = try JSONEncoder().encode(tracker)
        var journal = InputJournal()
        for (index, input) in inputs(seed: seed).enumerated() {
            _ = tracker.handle(input)
            let isTaken = journal.append(input)
            if !isTaken || index % 397 == 0 {
                saved = try JSONEncoder().encode(tracker)
                journal.removeAll()
            }
            if index % 601 == 600 {
                var again = try JSONDecoder().decode(Tracker.self, from: saved)
                for input in try InputJournal.inputs(in: journal.bytes) { _ = again.handle(input) }
                #expect(again == tracker)
                tracker = again
            }
        }
    }
}
