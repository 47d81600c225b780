/// A statement that is run for many rows of values: in SQLite once for each row, in PostgreSQL once for all of them,
/// with an array for each column.
///
/// The SQL names the values of a row `new.NAME`, and has `FROM new`, `FROM new,` or `USING new` where PostgreSQL needs
/// the rows as a table. The effect must not depend on the order of the rows.
struct RowStatement {
    /// A value of each row.
    struct Column {
        /// The types of values.
        enum Kind {
            case integer, real, text
            /// A time as ISO 8601.
            case time
        }

        let name: String
        let kind: Kind

        static func integer(_ name: String) -> Column { Column(name: name, kind: .integer) }
        static func real(_ name: String) -> Column { Column(name: name, kind: .real) }
        static func text(_ name: String) -> Column { Column(name: name, kind: .text) }
        static func time(_ name: String) -> Column { Column(name: name, kind: .time) }
    }

    let columns: [Column]
    let sql: String

    /// The names of the columns, for a list in the SQL.
    static func names(_ columns: [Column]) -> String { columns.map(\.name).joined(separator: ", ") }

    /// The values of a row, for a list in the SQL.
    static func values(_ columns: [Column]) -> String { columns.map { "new.\($0.name)" }.joined(separator: ", ") }

    /// The statement for one row, with a parameter for each column.
    var sqlOfRow: String {
        replacingValues { index, _ in "?\(index + 1)" }
            .replacing("FROM new, ", with: "FROM ").replacing(" FROM new", with: "").replacing(" USING new", with: "")
    }

    /// The statement for all rows, with an array for each column. Times are read from their text.
    var sqlOfArrays: String {
        let arrays = columns.enumerated().map { index, column in "?\(index + 1)::\(column.kind.arrayElement)[]" }
        let rows = "unnest(\(arrays.joined(separator: ", "))) AS new (\(Self.names(columns)))"
        return replacingValues { _, column in "new.\(column.name)" + (column.kind == .time ? "::timestamptz" : "") }
            .replacing("FROM new", with: "FROM \(rows)").replacing("USING new", with: "USING \(rows)")
    }

    /// Returns the SQL with another text for each value of a row.
    private func replacingValues(_ text: (Int, Column) -> String) -> String {
        sql.replacing(#/\bnew\.([a-z_]+)/#) { match in
            guard let index = columns.firstIndex(where: { $0.name == match.1 }) else { return String(match.0) }
            return text(index, columns[index])
        }
    }
}

extension RowStatement.Column.Kind {
    /// The type of PostgreSQL in which a value is sent.
    fileprivate var arrayElement: String {
        switch self {
        case .integer: "bigint"
        case .real: "float8"
        case .text, .time: "text"
        }
    }
}
