import OdographSettings

/// The settings of the answers to requests about the past.
package struct HistorySettings: Hashable, Sendable {
    /// Whether the recorder answers requests.
    package var isAnswering: Bool
    /// The longest interval of a track or a timeline, days.
    package var days: Int
    /// The most rows of an answer.
    package var rows: Int
    /// How often a person may ask in the long term, requests a minute.
    package var requestsPerMinute: Int
    /// The age above which entries of the log of requests are removed, days.
    package var logDays: Int

    /// The most days of a request for days: a leap year.
    package static let maximumDays = 366

    /// - Parameters: As the properties of the same names.
    package init(
        isAnswering: Bool = false, days: Int = 31, rows: Int = 10_000, requestsPerMinute: Int = 60, logDays: Int = 365
    ) {
        self.isAnswering = isAnswering
        self.days = days
        self.rows = rows
        self.requestsPerMinute = requestsPerMinute
        self.logDays = logDays
    }

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
