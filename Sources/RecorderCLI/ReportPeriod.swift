import ArgumentParser
import OdographCivilTime
import OdographConsole

/// The time of a report that is not of days.
struct ReportPeriod: ParsableArguments {
    @Option(help: ArgumentHelp("From this time on.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Before this time.", valueName: "time"))
    var to: String?

    /// Returns the time.
    func times(in zone: ZoneRules) throws -> Range<Timestamp> { try TimeOption.times(from: from, to: to, zone: zone) }

    /// The time for people.
    var words: String {
        let words = [from.map { "from \($0)" }, to.map { "before \($0)" }].compactMap { $0 }.joined(separator: " ")
        return words.isEmpty ? "all time" : words
    }
}
