import Odograph
import OdographCivilTime
import OdographTerminal

/// The live screen of a fleet: what it shows for the keys of a person.
public struct FleetScreen: Hashable, Sendable {
    /// The size of a terminal, characters.
    public typealias Size = (columns: Int, rows: Int)

    /// The number of vehicles above the first shown one.
    private var offset = 0
    /// The text that the shown vehicles contain; empty: all are shown.
    public private(set) var filter = ""
    /// Whether the person writes the filter.
    private var isEditing = false
    /// The number of vehicles on the last drawn page.
    private var page = 1

    /// A screen that shows all vehicles.
    public init() {}

    /// Takes a key.
    /// - Returns: false if the person ends the screen.
    package mutating func handle(_ key: TerminalKey) -> Bool {
        if isEditing {
            edit(key)
            return true
        }
        switch key {
        case .character("q"), .character("Q"): return false
        case .character("/"): isEditing = true
        case .up, .character("k"): offset -= 1
        case .down, .character("j"), .enter: offset += 1
        case .pageUp, .character("b"): offset -= page
        case .pageDown, .character(" "): offset += page
        case .home, .character("g"): offset = 0
        case .end, .character("G"): offset = .max / 2
        case .escape: filter = ""
        default: break
        }
        return true
    }

    private mutating func edit(_ key: TerminalKey) {
        switch key {
        case .character(let character): if filter.count < 64 { filter.append(character) }
        case .backspace: filter = String(filter.dropLast())
        case .enter: isEditing = false
        case .escape: (filter, isEditing) = ("", false)
        default: break
        }
        offset = 0
    }

    /// Returns the lines of the screen, at most as many as it has rows.
    /// - Parameters:
    ///   - table: The vehicles.
    ///   - title: The name of the fleet.
    ///   - isConnected: Whether the broker is connected.
    ///   - size: The size of the terminal.
    ///   - now: The current time, for ages.
    public mutating func lines(
        _ table: FleetTable, title: String, isConnected: Bool, size: Size, now: Timestamp
    ) -> [String] {
        let shown = filter.isEmpty ? table : table.containing(filter)
        let state = isConnected ? "" : "no connection to the broker, retrying  "
        // The summary gets at most three lines.
        var lines = Array(
            Format.wrapped("\(title)  \(state)\(table.summary)", width: size.columns, indentation: 2).prefix(3))
        if size.rows > 12 { lines.append("") }
        let room = max(size.rows - lines.count - 1, 2)
        // The errors get at most a third of the screen.
        let errors = shown.errorLines(limit: max(size.rows / 3, 1), width: size.columns).prefix(max(room - 2, 0))
        page = max(room - errors.count - 1, 1)
        offset = min(max(offset, 0), max(shown.rows.count - page, 0))
        let range = offset..<min(offset + page, shown.rows.count)
        lines += shown.lines(width: size.columns, shown: range, now: now)
        lines += errors
        lines.append(footer(range, of: shown.rows.count, columns: size.columns))
        return Array(lines.map { Format.cut($0, to: size.columns) }.suffix(size.rows))
    }

    private func footer(_ range: Range<Int>, of count: Int, columns: Int) -> String {
        if isEditing { return "/\(filter.printable)_" }
        let place = range.count == count ? "" : "\(range.lowerBound + 1)-\(range.upperBound) of \(count)  "
        let filtered = filter.isEmpty ? "" : "/\(filter.printable)  "
        let keys = ["q quit", "/ filter", "arrows scroll"]
        return place + filtered + keys.joined(separator: "  ")
    }
}
