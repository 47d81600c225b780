import Odograph

/// A column of a table of text.
struct TextColumn {
    /// The side that a cell leans on.
    enum Alignment { case left, right }

    let title: String
    let width: Int
    let alignment: Alignment

    init(_ title: String, width: Int, _ side: Alignment = .left) {
        self.title = title
        self.width = width
        self.alignment = side
    }

    /// A line of the table, its cells `printable`; a cell that is too long pushes the others.
    static func line(_ cells: [String], _ columns: [TextColumn]) -> String {
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
    /// The text, and blanks behind it up to a width.
    func padded(to width: Int) -> String { self + padding(to: width) }

    /// The blanks that a text lacks of a width.
    fileprivate func padding(to width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) }
}
