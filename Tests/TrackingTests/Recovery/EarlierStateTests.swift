import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// A power cut can take back the last commits. What they published stays with the consumers.
@Suite("A start from an earlier state than the published one")
struct EarlierStateTests {
    /// The tracker that was saved at some time, and the events that were published until then.
    private struct Save {
        var tracker: Tracker
        var published: [TimelineEventID: TimelineEvent]
        var records: Int
    }

    /// A consumer, which knows all revisions that were ever published.
    private struct Consumer {
        var newest: [TimelineEventID: TimelineEvent] = [:]
        var lastUpdate = Timestamp(millisecondsSinceEpoch: 0)
        /// The events of before the last cut.
        var former: Set<TimelineEventID> = []

        mutating func take(_ event: TimelineEvent) {
            if let known = newest[event.id] {
                #expect(event.revision > known.revision, "\(known) then \(event)")
            }
            #expect(event.lastUpdate > lastUpdate, "\(lastUpdate) then \(event)")
            // An event of before the cut is never open again, and does not go on.
            if former.contains(event.id) { #expect(event.end != nil && !event.isProvisional, "\(event)") }
            (newest[event.id], lastUpdate) = (event, event.lastUpdate)
        }
    }

    @Test("No event is published with a lower revision, an older date or as open again", arguments: 1...20)
    func cut(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var drive = SimulatedDrive(seed: seed)
        var tracker = Tracker(seed: (1, seed))
        var consumer = Consumer()
        var (published, records): ([TimelineEventID: TimelineEvent], Int) = ([:], 0)
        var saved = Save(tracker: tracker, published: published, records: 0)
        var cuts = 0

        func take(_ outputs: [TrackerOutput]) {
            for case .record(let record) in outputs {
                records += 1
                guard case .timeline(let event) = record else { continue }
                consumer.take(event.value)
                published[event.value.id] = event.value
            }
        }
        take(tracker.handle(.started(at: ClockReading(replayed: drive.now))))
        for _ in 0..<40 {
            let before = drive.fixes.count
            let seconds = Double.random(in: 20..<700, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: drive.stand(seconds: seconds)
            case 1: drive.silence(seconds: seconds)
            default: drive.drive(seconds: seconds)
            }
            for fix in drive.fixes[before...] {
                take(tracker.handle(.fix(fix)))
                if Int.random(in: 0..<300, using: &random) == 0 {
                    saved = Save(tracker: tracker, published: published, records: records)
                }
            }
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            cuts += 1
            consumer.former = Set(consumer.newest.keys)
            (tracker, published) = (saved.tracker, saved.published)
            drive.silence(seconds: Double.random(in: 1..<2000, using: &random))
            let now = ClockReading(replayed: drive.now)
            let update = ([now.systemTime] + saved.published.values.map(\.lastUpdate)).max()
            take(
                tracker.resume(
                    after: saved.published.values.filter(\.isProvisional), lastUpdate: update,
                    quality: .earlier(records: max(records - saved.records, 1)), seed: (9, random.next())))
            take(tracker.handle(.started(at: now)))
            saved = Save(tracker: tracker, published: published, records: records)
        }
        take(tracker.finish(at: ClockReading(replayed: drive.now)))
        #expect(cuts > 0)
        // One event is open at most. Events that only the lost states knew do not count.
        #expect(published.values.filter { $0.end == nil }.isEmpty)
    }

    @Test("What a run with a copy of the state has published is below the next revision")
    func skipped() throws {
        var drive = SimulatedDrive(seed: 1)
        drive.drive(seconds: 400)
        var tracker = Tracker(seed: (1, 1))
        var events: [TimelineEvent] = []
        for fix in drive.fixes { events += tracker.handle(.fix(fix)).compactMap(\.event) }
        let open = try #require(events.last)
        tracker.skipRevisions(256, seed: (2, 2))
        let last = tracker.finish(at: ClockReading(replayed: drive.now)).compactMap(\.event)
        #expect(last.first { $0.id == open.id }?.revision ?? 0 > open.revision + 256)
    }
}
