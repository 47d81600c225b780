import Odograph
import CivilTime
import Positioning
import Store
import Tracking
import Wire

/// Runs the tracker over a capture: no broker, no database, no clock.
///
///     var analyzer = try Analyzer(path: "drive.jsonl")
///     while let record = try analyzer.next() { print(record.message.channel, record.payload.count) }
///
/// Records come as they are made, so that a capture of any length takes the same memory. The same capture and the same
/// settings give the same bytes in every run. It cannot be copied: two would take from the same file in turn.
public struct Analyzer: ~Copyable {
    /// A record and its bytes.
    public struct Record: Hashable, Sendable {
        /// What it says.
        public let message: RecordMessage
        /// Exactly what would be published.
        public let payload: [UInt8]
    }

    private let settings: AnalysisSettings
    private let reader: CaptureReader
    private let identities = EpochIdentity(epoch: 1, seed: EpochIdentity.Seed(high: 1, low: 1))
    private var tracker: Tracker
    private var gate: ScheduleGate
    private var pendingRecords: [TrackerRecord] = []
    private var nextPendingIndex = 0
    private var lastSeq: Int64 = 0
    private var firstTime: Timestamp?
    private var lastTime: Timestamp?
    private var lastClockReading: ClockReading?

    /// Opens a capture, to read all of it.
    /// - Parameters:
    ///   - path: gpsd's JSON or GPX.
    ///   - settings: what the tracker is told.
    /// - Throws: `CaptureError` where there is nothing that can be analyzed.
    public init(path: String, settings: AnalysisSettings = AnalysisSettings()) throws(CaptureError) {
        try self.init(capture: ReplaySettings(path: path), settings: settings)
    }

    /// Opens a capture.
    /// - Parameters:
    ///   - capture: the file, and what of it is read.
    ///   - settings: what the tracker is told.
    ///   - geofences: those in force from the beginning to the end; what happens with them is among the records.
    /// - Throws: `CaptureError` where there is nothing that can be analyzed.
    public init(
        capture: ReplaySettings, settings: AnalysisSettings = AnalysisSettings(), geofences: GeofenceSet = GeofenceSet()
    ) throws(CaptureError) {
        self.settings = settings
        reader = try CaptureReader(capture)
        tracker = Tracker(
            configuration: settings.tracking.core, geofences: geofences, zone: settings.tracking.schedule.zone)
        gate = ScheduleGate(schedule: settings.tracking.schedule, isReplay: true)
    }

    /// The next record; nil at the end.
    /// - Throws: `CaptureError` where the capture turns out to be none. What was given before is valid.
    public mutating func next() throws -> Record? {
        while nextPendingIndex == pendingRecords.count {
            pendingRecords.removeAll(keepingCapacity: true)
            nextPendingIndex = 0
            if let event = try reader.next() {
                handle(event)
            } else {
                guard let moment = lastClockReading else { return nil }
                // Once: what lasts is over, and the timeline's last event gets its final revision.
                lastClockReading = nil
                for case .record(let record) in tracker.finish(at: moment) { pendingRecords.append(record) }
            }
        }
        defer { nextPendingIndex += 1 }
        return makeRecord(pendingRecords[nextPendingIndex])
    }

    /// What was read, and what became of it, so far.
    public var summary: AnalysisSummary {
        let source = reader.counters
        return AnalysisSummary(
            linesRead: source.linesRead, fixes: source.fixes,
            skipped: Dictionary(uniqueKeysWithValues: source.skipped.map { ($0.key.rawValue, $0.value) }),
            accepted: tracker.counters.accepted, rejected: tracker.counters.rejected, records: Int(lastSeq),
            firstTime: firstTime, lastTime: lastTime,
            odometer: OdometerReading(meters: tracker.odometerMeters, errorMeters: tracker.odometerErrorMeters))
    }

    private mutating func handle(_ event: SourceEvent) {
        let input: TrackerInput
        switch event.content {
        case .fix(let fix):
            firstTime = firstTime ?? fix.timestamp
            lastTime = fix.timestamp
            input = .fix(fix)
            gate.observe(fix)
        // A capture has none.
        case .undatedFix: return
        case .state(let state, let moment, _): input = .source(state, at: moment)
        }
        lastClockReading = input.clockReading
        for change in gate.advance(to: input.clockReading) {
            feedTracker(.schedule(change.state, at: change.clockReading))
        }
        feedTracker(input)
    }

    private mutating func feedTracker(_ input: TrackerInput) {
        for case .record(let record) in tracker.handle(input) { pendingRecords.append(record) }
    }

    private mutating func makeRecord(_ record: TrackerRecord) -> Record {
        lastSeq += 1
        let message = RecordMessage(
            record, identity: identities.identity(forSeq: lastSeq), deviceID: settings.deviceID,
            extras: settings.tracking.extras)
        return Record(message: message, payload: message.payload().bytes)
    }
}
