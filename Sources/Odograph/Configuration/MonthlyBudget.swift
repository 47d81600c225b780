import OdographSettings

/// The traffic that the agent may cause in a month.
public struct MonthlyBudget: Hashable, Sendable {
    /// The bytes of a month, both ways, with the headers of TCP and IP; 0: no budget, and nothing is counted.
    public var bytes: Int64 = 0
    /// The day of the month on which the budget begins, 1 to 31. A shorter month begins on its last day.
    public var firstDay = 1

    /// Whether there is a budget.
    package var isOn: Bool { bytes > 0 }

    /// Creates no budget.
    public init() {}
}

extension MonthlyBudget {
    /// Reads the keys under `monthly_budget`.
    package init(_ reader: inout SettingsReader) {
        self.init()
        bytes = Int64(reader.integer("bytes", default: 0, in: 0...1_000_000_000_000_000, unit: "bytes"))
        firstDay = reader.integer("first_day", default: firstDay, in: 1...31, unit: "days")
    }
}
