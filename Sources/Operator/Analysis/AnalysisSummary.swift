import Odograph
import OdographCivilTime
import OdographTerminal

/// The input and result counts of an analysis.
public struct AnalysisSummary: Hashable, Sendable {
    /// The number of lines (gpsd) or track points (GPX) that were read.
    public var linesRead: Int
    /// The number of fixes in them.
    public var fixes: Int
    /// The number of skipped items, by reason.
    public var skipped: [String: Int]
    /// A sentence about the file as a whole, such as that it is cut; nil for none.
    public var remark: String?
    /// The number of fixes that the tracker accepted.
    public var accepted: Int
    /// The number of fixes that the tracker rejected, by reason.
    public var rejected: [String: Int]
    /// The number of records.
    public var records: Int
    /// The time of the first fix.
    public var firstTime: Timestamp?
    /// The time of the last fix.
    public var lastTime: Timestamp?
    /// The odometer at the end.
    public var odometer: OdometerReading

    /// The summary as text, one line per item.
    public var text: String {
        var lines = [
            "\(Format.count(fixes, "fix", "fixes")) read from \(Format.count(linesRead, "line", "lines"))"
                + Format.reasonCounts(skipped, prefix: "; skipped "),
            "\(Format.count(accepted, "fix", "fixes")) accepted"
                + Format.reasonCounts(rejected, prefix: "; rejected "),
        ]
        if let firstTime, let lastTime {
            lines.append(
                "from \(Format.time(firstTime)) to \(Format.time(lastTime)) "
                    + "(\(Format.duration(seconds: lastTime.seconds(since: firstTime))))")
        }
        lines.append(
            "\(Format.count(records, "record", "records")), distance "
                + Format.distance(odometer.meters, error: odometer.errorMeters))
        if let remark { lines.append(remark) }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension AnalysisSummary {
    /// Returns a progress line: the number of fixes so far, and the rate.
    public func progressText(afterSeconds seconds: Double) -> String {
        let rate = seconds > 0 ? "\(Format.grouped(Int(Double(fixes) / seconds))) per second" : ""
        return "\(Format.count(fixes, "fix", "fixes")), \(rate)" + (lastTime.map { ", at \(Format.time($0))" } ?? "")
    }
}
