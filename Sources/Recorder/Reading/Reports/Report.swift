/// A table about vehicles with its sums, before it is written in a format.
package struct Report: Hashable, Sendable {
    /// A column.
    struct Column: Hashable, Sendable {
        /// The title for people.
        var title: String
        /// The name in a table with commas.
        var name: String
        /// The width in a text table, characters.
        var width: Int
        /// Whether the column contains quantities, which are aligned at the right.
        var isQuantity = false
    }

    /// A cell: a text for people, and the same value for programs.
    struct Cell: Hashable, Sendable {
        var text: String
        var field: CSVField
    }

    /// The title.
    var title: String
    /// The vehicle; nil for a report of several ones.
    var vehicle: ArchivedVehicle?
    /// Names and values of the sums.
    var facts: [Fact]
    /// The columns.
    var columns: [Column]
    /// The rows, with one cell per column.
    var rows: [[Cell]]
    /// Sentences that explain the values.
    var notes: [String]

    /// Returns the report with more notes.
    package func noting(_ more: [String]) -> Report {
        var report = self
        report.notes += more
        return report
    }

    /// A sum and its name.
    struct Fact: Hashable, Sendable {
        var name: String
        var value: String
    }
}
