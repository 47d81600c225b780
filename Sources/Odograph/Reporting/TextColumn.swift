/// A column of a table of text.
struct TextColumn {
    /// The side that a cell leans on.
    enum Side { case left, right }

    let title: String
    let width: Int
    let side: Side

    init(_ title: String, width: Int, _ side: Side = .left) {
        self.title = title
        self.width = width
        self.side = side
    }

    /// A line of the table; a cell that is too long pushes the others.
    static func line(_ cells: [String], _ columns: [TextColumn]) -> String {
        var line = ""
        for (cell, column) in zip(cells, columns) {
            if !line.isEmpty { line += "  " }
            let padding = String(repeating: " ", count: max(column.width - cell.count, 0))
            line += column.side == .left ? cell + padding : padding + cell
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}
