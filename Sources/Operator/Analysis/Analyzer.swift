import Odograph
import OdographCivilTime
import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking
import OdographWire

/// Runs the tracker over a capture, without a broker, a database or a clock.
///
///     var analyzer = try Analyzer(path: "drive.jsonl")
///     while let record = try analyzer.next() { print(record.message.channel, record.payload.count) }
///
/// Records are returned as soon as they exist, so memory use does not depend on the length of the capture. The same
/// capture and settings always give the same bytes. Not copyable: two copies would share one file position.
public struct Analyzer: ~Copyable {
    /// A record and its payload.
    public struct Record: Hashable, Sendable {
        /// The message.
        public let message: RecordMessage
        /// The bytes that an agent would publish.
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
    /// The reason why the rest of the capture cannot be read.
    private var failure: CaptureError?

    /// Opens a capture and reads all of it.
    /// - Parameters:
    ///   - path: a file of gpsd JSON or GPX.
    ///   - settings: the device and tracking settings.
    /// - Throws: `CaptureError` if the file cannot be analyzed.
    public init(path: String, settings: AnalysisSettings = AnalysisSettings()) throws(CaptureError) {
        try self.init(capture: ReplaySettings(path: path), settings: settings)
    }

    /// Opens a capture.
    /// - Parameters:
    ///   - capture: the file, and the part of it to read.
    ///   - settings: the device and tracking settings.
    ///   - geofences: the geofences in force for the whole capture. Their events are among the records.
    /// - Throws: `CaptureError` if the file cannot be analyzed.
    public init(
        capture: ReplaySettings, settings: AnalysisSettings = AnalysisSettings(), geofences: GeofenceSet = GeofenceSet()
    ) throws(CaptureError) {
        self.init(reader: try CaptureReader(capture), settings: settings, geofences: geofences)
    }

    private init(reader: CaptureReader, settings: AnalysisSettings, geofences: GeofenceSet) {
        self.settings = settings
        self.reader = reader
        tracker = Tracker(
            configuration: settings.tracking.core, geofences: geofences, zone: settings.tracking.schedule.zone)
        gate = ScheduleGate(schedule: settings.tracking.schedule, isReplay: true)
    }

    /// Returns the next record; nil at the end.
    /// - Throws: `CaptureError` if the file turns out not to be a capture. Earlier records remain valid.
    public mutating func next() throws -> Record? {
        while nextPendingIndex == pendingRecords.count {
            pendingRecords.removeAll(keepingCapacity: true)
            nextPendingIndex = 0
            if let event = nextEvent() {
                handle(event)
            } else {
                guard let moment = lastClockReading else {
                    if let failure { throw failure }
                    return nil
                }
                // Runs once: open events end, and the last event of the timeline gets its final revision.
                lastClockReading = nil
                append(tracker.finish(at: moment))
            }
        }
        defer { nextPendingIndex += 1 }
        return makeRecord(pendingRecords[nextPendingIndex])
    }

    /// Returns the next event; nil at the end, and after a failure, which is thrown after the last record.
    private mutating func nextEvent() -> SourceEvent? {
        guard failure == nil else { return nil }
        do throws(CaptureError) {
            return try reader.next()
        } catch {
            failure = error
            return nil
        }
    }

    /// The counts so far.
    public var summary: AnalysisSummary {
        let source = reader.counters
        return AnalysisSummary(
            linesRead: source.linesRead, fixes: source.fixes,
            skipped: Dictionary(uniqueKeysWithValues: source.skipped.map { ($0.key.rawValue, $0.value) }),
            remark: source.remark,
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
        // A capture contains none.
        case .undatedFix: return
        case .signals(let signals): input = .signals(signals)
        case .state(let state, let moment, _): input = .source(state, at: moment)
        }
        lastClockReading = input.clockReading
        for change in gate.advance(to: input.clockReading) {
            feedTracker(.schedule(change.state, at: change.clockReading))
        }
        feedTracker(input)
    }

    private mutating func feedTracker(_ input: TrackerInput) {
        append(tracker.handle(input))
    }

    private mutating func append(_ outputs: [TrackerOutput]) {
        for case .record(let record) in outputs { pendingRecords.append(record) }
    }

    private mutating func makeRecord(_ record: TrackerRecord) -> Record {
        lastSeq += 1
        let message = RecordMessage(
            record, identity: identities.identity(forSeq: lastSeq), deviceID: settings.deviceID,
            annotations: RecordAnnotations(extras: settings.tracking.extras))
        return Record(message: message, payload: message.payload().bytes)
    }
}
