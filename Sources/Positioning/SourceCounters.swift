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
    /// The report of a capture has a time that is not in the form of ISO 8601 with a zone.
    case badTime = "bad_time"
    /// The latitude or longitude is not a number or is out of range.
    case badCoordinate = "bad_coordinate"
    /// The report is of another receiver than the selected one.
    case otherDevice = "other_device"
    /// The report is a further one of a cycle, which has one fix.
    case sameCycle = "same_cycle"
}

/// The counters of a source.
public struct SourceCounters: Hashable, Sendable {
    /// The lines (gpsd) or track points (GPX) read.
    public var linesRead = 0
    /// The positions emitted.
    public var fixes = 0
    /// The connections made to a gpsd.
    public var connections = 0
    /// A sentence about the file as a whole, such as that it is cut; nil for none.
    public var remark: String?
    /// The reasons that occurred, with their counts.
    public private(set) var skipped: [SkipReason: Int] = [:]

    /// Creates counters of 0.
    public init() {}

    /// The number of reports or lines skipped for a reason.
    public subscript(reason: SkipReason) -> Int {
        get { skipped[reason] ?? 0 }
        set { skipped[reason] = newValue == 0 ? nil : newValue }
    }
}
