import OdographCivilTime
import OdographGeodesy
import OdographHarness
import Logging
import OdographJSON
import OdographModel
import OdographPositioning
import OdographStore
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

/// A vehicle with a database on disk, whose agent is stopped, killed and updated.
final class UpdatedVehicle {
    /// A change to the saved state between two runs.
    enum Damage: Sendable {
        /// The saved state has another form, as after an update.
        case update
        /// The snapshot is unreadable, as after a disk fault.
        case snapshot
        /// The newest entry of the journal is truncated.
        case journal
        /// The journal is lost.
        case hole
    }

    static let start = "2026-11-20T08:00:00Z"

    let folder: TemporaryFolder
    let tracking: String
    let geofences: GeofenceSet?
    private(set) var store: AgentStore
    private(set) var run: PipelineFixture
    private(set) var events: [TimelineEventRevision] = []
    private var moment: ClockReading
    private var newestSeq: Int64 = 0

    init(_ tracking: String = "{}", geofences: GeofenceSet? = nil) async throws {
        self.tracking = tracking
        self.geofences = geofences
        folder = try TemporaryFolder()
        moment = ClockReading(
            systemTime: try ScheduleFixture.time(Self.start), uptimeMilliseconds: 20_000, isSystemTimeTrusted: true)
        store = try await AgentStore.open(at: folder.file("agent.db"), now: moment.systemTime).store
        run = try await PipelineFixture(tracking, at: moment, store: store, boot: "1", geofences: geofences)
        if let geofences { await run.pipeline.apply(geofences) }
    }

    var odometer: OdometerReading { get async { await run.pipeline.odometer } }

    /// Ends the run, damages its saved state, and begins the next run later.
    func restart(_ damage: Damage?, isStopped: Bool = true, afterSeconds seconds: Double) async throws {
        if isStopped { await run.pipeline.stop() }
        try await keepEvents()
        let contents = try await store.contents()
        var (snapshot, journals) = (contents.snapshot, contents.journals)
        switch damage {
        case .update: snapshot = try #require(snapshot).withOtherForm
        case .snapshot: snapshot = Array("{\"versio".utf8)
        case .journal:
            #expect(!journals.isEmpty)
            journals = journals.dropLast() + journals.suffix(1).map { $0.dropLast(20) + [255] }
        case .hole: journals = []
        case nil: break
        }
        try await store.commit(journal: [], snapshot: snapshot, now: moment.systemTime)
        for journal in journals { try await store.commit(journal: journal, now: moment.systemTime) }
        // A killed run does nothing more, because its clock no longer advances.
        moment = run.clock.now()
        moment.systemTime = moment.systemTime.advanced(bySeconds: seconds)
        moment.uptimeMilliseconds += Int64(seconds * 1000)
        run = try await PipelineFixture(tracking, at: moment, store: store, boot: "1", geofences: geofences)
    }

    /// Collects the timeline events that were published so far, in order.
    private func keepEvents() async throws {
        for record in try await store.unacknowledged(limit: 100_000) where record.seq > newestSeq {
            newestSeq = record.seq
            guard record.kind == .timeline else { continue }
            events.append(try JSONCoder.decode(TimelineMessage.self, from: record.payload).timelineEvent)
        }
    }

    /// Acknowledges every record, as if the broker had it.
    func deliver() async throws {
        try await keepEvents()
        let keys = try await store.unacknowledged(limit: 100_000).map(\.key)
        try await store.acknowledge(keys)
        try await store.flushAcknowledgements()
    }

    /// Returns the locations in the store, oldest first.
    func records() async throws -> [LocationMessage] {
        try await store.unacknowledged(limit: 100_000).filter { $0.kind != .timeline }.map {
            try JSONCoder.decode(LocationMessage.self, from: $0.payload)
        }
    }

    /// Returns the times of the locations in the store.
    func locations() async throws -> [Timestamp] { try await records().map(\.location.timestamp) }

    /// Returns the final events as a consumer sees them, sorted by start.
    func timeline() async throws -> [TimelineEventRevision] {
        try await keepEvents()
        var known: [String: TimelineEventRevision] = [:]
        for (index, event) in events.enumerated() {
            #expect(index == 0 || events[index - 1].lastUpdateDate < event.lastUpdateDate)
            #expect(known[event.eventID].map { $0.isProvisional && $0.startDate == event.startDate } ?? true)
            #expect(event.revision == (known[event.eventID]?.revision ?? 0) + 1)
            known[event.eventID] = event
        }
        let last = known.values.filter { $0.withdrawn != true }.sorted { $0.startDate < $1.startDate }
        for (earlier, later) in zip(last, last.dropFirst()) {
            #expect(earlier.endDate == later.startDate, "\(earlier) then \(later)")
        }
        // The second-last event may be provisional, because it continues if the last one is withdrawn.
        #expect(last.dropLast(2).allSatisfy { !$0.isProvisional })
        #expect(last.last?.isProvisional == true)
        return last
    }

    /// The current problems.
    var problems: [Problem] { run.problems.current }
}

extension [UInt8] {
    /// This saved state with the number of another form.
    fileprivate var withOtherForm: [UInt8] {
        let text = String(decoding: self, as: UTF8.self).split(
            separator: "\"form\":\(StateSnapshot.form)", maxSplits: 1)
        return Array(text.joined(separator: "\"form\":\(StateSnapshot.form + 1)").utf8)
    }
}
