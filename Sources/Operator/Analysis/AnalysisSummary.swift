import Odograph
import CivilTime

/// What an analysis has read, and what became of it.
public struct AnalysisSummary: Hashable, Sendable {
    /// Lines (gpsd) or track points (GPX).
    public var linesRead: Int
    /// Positions among them.
    public var fixes: Int
    /// What was skipped, by reason.
    public var skipped: [String: Int]
    /// Positions that the tracker believed.
    public var accepted: Int
    /// Positions that it did not, by reason.
    public var rejected: [String: Int]
    /// Records that were made.
    public var records: Int
    /// The time of the first position.
    public var firstTime: Timestamp?
    /// The time of the last one.
    public var lastTime: Timestamp?
    /// The distance travelled.
    public var odometer: OdometerReading

    /// The summary for a person, a line an item.
    public var text: String {
        var lines = [
            "\(Format.count(fixes, "fix", "fixes")) read from \(Format.count(linesRead, "line", "lines"))"
                + Format.reasonCounts(skipped, prefix: "; skipped "),
            "\(Format.count(accepted, "fix", "fixes")) believed"
                + Format.reasonCounts(rejected, prefix: "; not believed "),
        ]
        if let firstTime, let lastTime {
            lines.append(
                "from \(Format.time(firstTime)) to \(Format.time(lastTime)) "
                    + "(\(Format.duration(seconds: lastTime.seconds(since: firstTime))))")
        }
        lines.append(
            "\(Format.count(records, "record", "records")), distance "
                + Format.distance(odometer.meters, error: odometer.errorMeters))
        return lines.map { $0 + "\n" }.joined()
    }
}

extension AnalysisSummary {
    /// One short line on the way: how far it is, and how fast.
    public func progressText(afterSeconds seconds: Double) -> String {
        let rate = seconds > 0 ? "\(Format.grouped(Int(Double(fixes) / seconds))) a second" : ""
        return "\(Format.count(fixes, "fix", "fixes")), \(rate)" + (lastTime.map { ", at \(Format.time($0))" } ?? "")
    }
}
