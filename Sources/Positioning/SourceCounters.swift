/// A reason why a report did not become a fix.
public enum SkipReason: String, Error, CaseIterable, Hashable {
    /// The line is not a JSON object, or is incomplete.
    case malformedLine = "malformed_line"
    /// The line is longer than 64 KiB.
    case overlongLine = "overlong_line"
    /// The line is a raw receiver sentence or a comment.
    case notAReport = "not_a_report"
    /// The receiver has no position (mode below 2).
    case noFix = "no_fix"
    /// The report should have a position, but has none.
    case noPosition = "no_position"
    /// The report of a capture has no time, and no clock can supply one.
    case noTime = "no_time"
    /// The latitude or longitude is not a number or is out of range.
    case badCoordinate = "bad_coordinate"
    /// The report is of another receiver than the selected one.
    case otherDevice = "other_device"
}

/// The counters of a source.
public struct SourceCounters: Hashable, Sendable {
    /// The lines (gpsd) or track points (GPX) read.
    public internal(set) var linesRead = 0
    /// The positions emitted.
    public internal(set) var fixes = 0
    /// The changes of state emitted.
    public internal(set) var stateChanges = 0
    /// The positions among ``fixes`` without a date, or with an impossible one.
    public internal(set) var undatedFixes = 0
    /// The fixes whose dates were moved by 1024 or 2048 weeks.
    public internal(set) var datesCorrected = 0
    /// The connections made to a gpsd.
    public internal(set) var connections = 0
    /// The events dropped because the consumer was too slow.
    public internal(set) var eventsDropped = 0

    private var malformedLines = 0
    private var overlongLines = 0
    private var notReports = 0
    private var withoutFix = 0
    private var withoutPosition = 0
    private var withoutTime = 0
    private var badCoordinates = 0
    private var ofOtherDevices = 0

    /// Creates counters of 0.
    public init() {}

    /// The number of reports or lines skipped for a reason.
    public internal(set) subscript(reason: SkipReason) -> Int {
        get { self[keyPath: Self.keyPath(for: reason)] }
        set { self[keyPath: Self.keyPath(for: reason)] = newValue }
    }

    /// The reasons that occurred, with their counts.
    public var skipped: [SkipReason: Int] {
        var counts: [SkipReason: Int] = [:]
        for reason in SkipReason.allCases where self[reason] > 0 { counts[reason] = self[reason] }
        return counts
    }

    private static func keyPath(for reason: SkipReason) -> WritableKeyPath<SourceCounters, Int> {
        switch reason {
        case .malformedLine: \.malformedLines
        case .overlongLine: \.overlongLines
        case .notAReport: \.notReports
        case .noFix: \.withoutFix
        case .noPosition: \.withoutPosition
        case .noTime: \.withoutTime
        case .badCoordinate: \.badCoordinates
        case .otherDevice: \.ofOtherDevices
        }
    }
}
