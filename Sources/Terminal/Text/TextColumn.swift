import OdographSettings

/// A column of a text table.
package struct TextColumn {
    /// The alignment of cells.
    package enum Alignment { case left, right }

    package let title: String
    package let width: Int
    package let alignment: Alignment

    package init(_ title: String, width: Int, _ side: Alignment = .left) {
        self.title = title
        self.width = width
        self.alignment = side
    }

    /// Returns a line of the table with `printable` cells. A cell that is too long shifts the others.
    package static func line(_ cells: [String], _ columns: [TextColumn]) -> String {
        var line = ""
        for (cell, column) in zip(cells.map(\.printable), columns) {
            if !line.isEmpty { line += "  " }
            line += column.alignment == .left ? cell.padded(to: column.width) : cell.padding(to: column.width) + cell
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}

extension String {
    /// Returns the text, padded with spaces to a width.
    package func padded(to width: Int) -> String { self + padding(to: width) }

    /// Returns the spaces that a text needs to reach a width.
    fileprivate func padding(to width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) }
}
