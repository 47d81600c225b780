import OdographSettings

/// A table of text that fits a width: less important columns are dropped, then lines are cut.
package struct TextTable {
    /// A column.
    package struct Column {
        let title: String
        let alignment: TextColumn.Alignment
        /// The order in which columns are dropped for lack of space, the highest first; 0: never.
        let dropOrder: Int

        package init(_ title: String, _ alignment: TextColumn.Alignment = .left, dropOrder: Int = 0) {
            self.title = title
            self.alignment = alignment
            self.dropOrder = dropOrder
        }
    }

    private let columns: [Column]
    private let rows: [[String]]

    /// - Parameters:
    ///   - columns: The columns.
    ///   - rows: The cells, as many in each row as there are columns.
    package init(_ columns: [Column], rows: [[String]]) {
        self.columns = columns
        self.rows = rows.map { $0.map(\.printable) }
    }

    /// Returns lines without a newline. The first line has the titles.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    package func lines(width: Int?) -> [String] {
        // An empty column is omitted, unless it is one that is never dropped.
        var shown = columns.indices.filter { column in
            columns[column].dropOrder == 0 || rows.contains { !$0[column].isEmpty }
        }
        var lines = draw(shown)
        while let width, lines.contains(where: { $0.count > width }),
            let least = shown.max(by: { columns[$0].dropOrder < columns[$1].dropOrder }), columns[least].dropOrder > 0
        {
            shown.removeAll { $0 == least }
            lines = draw(shown)
        }
        return lines.map { Format.cut($0, to: width) }
    }

    /// Returns the lines, each with a newline.
    package func text(width: Int?) -> String { lines(width: width).map { $0 + "\n" }.joined() }

    private func draw(_ shown: [Int]) -> [String] {
        let shape = shown.map { column in
            TextColumn(
                columns[column].title,
                width: max(rows.map { $0[column].count }.max() ?? 0, columns[column].title.count),
                columns[column].alignment)
        }
        return ([shape.map(\.title)] + rows.map { row in shown.map { row[$0] } }).map {
            String(TextColumn.line($0, shape).dropLast())
        }
    }
}

extension Format {
    /// Returns a line of at most a width; an ellipsis replaces the rest.
    /// - Parameter width: The maximum number of characters; nil: no limit.
    package static func cut(_ line: String, to width: Int?) -> String {
        guard let width, line.count > width else { return line }
        return line.prefix(max(width - 1, 0)) + "…"
    }

    /// Returns a text as lines of at most a width, broken at spaces. A longer word is broken where the line ends.
    /// - Parameters:
    ///   - text: The text, without line feeds.
    ///   - width: The maximum number of characters per line; nil: no limit.
    ///   - indentation: The spaces before each line but the first.
    package static func wrapped(_ text: String, width: Int?, indentation: Int = 0) -> [String] {
        guard let width, text.count > width, width > indentation + 8 else { return [text] }
        let margin = String(repeating: " ", count: indentation)
        var lines: [String] = []
        var line = ""
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            var rest = word[...]
            if !isEmpty, line.count + 1 + rest.count > width {
                lines.append(line)
                (line, isEmpty) = (margin, true)
            }
            while line.count + (isEmpty ? 0 : 1) + rest.count > width {
                let room = width - line.count
                lines.append(line + rest.prefix(room))
                rest = rest.dropFirst(room)
                (line, isEmpty) = (margin, true)
            }
            line += (isEmpty ? "" : " ") + rest
            isEmpty = false
        }
        return lines + [line]
    }
}
