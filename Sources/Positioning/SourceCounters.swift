/// Why a report did not become a fix.
public enum SkipReason: String, CaseIterable, Hashable, Sendable {
    /// The line is no JSON object, or was cut.
    case malformedLine = "malformed_line"
    /// The line is longer than 64 KiB.
    case overlongLine = "overlong_line"
    /// A raw receiver sentence or a comment amid the reports.
    case notAReport = "not_a_report"
    /// The receiver has no position (mode below 2).
    case noFix = "no_fix"
    /// The report claims a position and has none.
    case noPosition = "no_position"
    /// The report has no time, and there is no clock that could give it one: it is of a capture.
    case noTime = "no_time"
    /// Latitude or longitude is no number, or out of its range.
    case badCoordinate = "bad_coordinate"
    /// The report is of a receiver other than the chosen one.
    case otherDevice = "other_device"
}

/// What a source has read, and what became of it.
public struct SourceCounters: Hashable, Sendable {
    /// Lines (gpsd) or track points (GPX) that were read.
    public internal(set) var linesRead = 0
    /// Positions that were handed on.
    public internal(set) var fixes = 0
    /// Changes of state that were handed on.
    public internal(set) var stateChanges = 0
    /// Positions among them that the receiver gave without a date, or with one that cannot be.
    public internal(set) var undatedFixes = 0
    /// Fixes whose date was moved by 1024 or 2048 weeks.
    public internal(set) var datesCorrected = 0
    /// Connections that were made to a gpsd.
    public internal(set) var connections = 0
    /// Events that were lost because nobody took them for too long.
    public internal(set) var eventsDropped = 0

    private var malformedLines = 0
    private var overlongLines = 0
    private var notReports = 0
    private var withoutFix = 0
    private var withoutPosition = 0
    private var withoutTime = 0
    private var badCoordinates = 0
    private var ofOtherDevices = 0

    /// Nothing read yet.
    public init() {}

    /// How many reports or lines were skipped for a reason.
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
