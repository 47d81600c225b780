import OdographSettings

/// The settings of the answers to requests about the past.
package struct HistorySettings: Hashable, Sendable {
    /// Whether the recorder answers requests.
    package var isAnswering = false
    /// The longest interval of a track or a timeline, days.
    package var days = 31
    /// The most rows of an answer.
    package var rows = 10_000
    /// How often a person may ask in the long term, requests a minute.
    package var requestsPerMinute = 60
    /// The age above which entries of the log of requests are removed, days.
    package var logDays = 365

    /// The most days of a request for days: a leap year.
    package static let maximumDays = 366
}

extension HistorySettings {
    /// Reads the object `history`.
    init(_ reader: inout SettingsReader) {
        let usual = HistorySettings()
        self.init(
            isAnswering: reader.bool("answer", default: usual.isAnswering),
            days: reader.integer("days", default: usual.days, in: 1...366, unit: "days"),
            rows: reader.integer("rows", default: usual.rows, in: 1...1_000_000, unit: "rows"),
            requestsPerMinute: reader.integer(
                "requests_per_minute", default: usual.requestsPerMinute, in: 1...6000, unit: "requests"),
            logDays: reader.integer("log_days", default: usual.logDays, in: 1...36_500, unit: "days"))
    }
}
