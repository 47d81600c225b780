import Odograph
import OdographCivilTime
import OdographJSON
import OdographTerminal
import OdographWire

/// A table of the vehicles of a fleet: those that need attention first, then by name.
public struct FleetTable: Hashable, Sendable {
    /// The vehicles, in the table's order.
    public let rows: [FleetRow]

    init(_ vehicles: [String: FleetClient.Vehicle], desired: [String: DesiredDocument], now: Timestamp = .now) {
        rows = vehicles.map { FleetRow($0.key, $0.value, desired: desired) }.sorted {
            ($0.attentionRank(at: now), NaturalSortKey($0.name)) < ($1.attentionRank(at: now), NaturalSortKey($1.name))
        }
    }

    private init(_ rows: [FleetRow]) { self.rows = rows }

    /// Returns the table of some of the vehicles.
    /// - Parameters:
    ///   - group: The group of the vehicles; nil: any.
    ///   - devices: The names of the vehicles; empty: any.
    public func filtered(group: String?, devices: [String]) -> FleetTable {
        FleetTable(
            rows.filter { row in
                (group.map { row.groups.contains($0) } ?? true) && (devices.isEmpty || devices.contains(row.name))
            })
    }

    /// Returns the table of the vehicles whose name, group, state or problem contains a text, in any case.
    func containing(_ text: String) -> FleetTable {
        let wanted = text.lowercased()
        return FleetTable(
            rows.filter { row in
                let words =
                    [row.name, row.presence.rawValue, row.configuration.label] + row.groups
                    + row.problems.map(\.code.rawValue)
                return words.contains { $0.lowercased().contains(wanted) }
            })
    }

    /// The counts of the states: `12 vehicles: 10 online, 1 silent, 1 stopped; 1 behind, 1 refused`.
    public var summary: String {
        let present: [(FleetRow.Presence, String)] = [
            (.online, "online"), (.silent, "silent"), (.stopped, "stopped"), (.unknown, "never seen"),
        ]
        let presences = present.compactMap { presence, words in
            Self.count(rows.count { $0.presence == presence }, words)
        }
        let states = FleetRow.Configuration.allCases.filter { $0 != .unknown }.compactMap { state in
            Self.count(rows.count { $0.configuration == state }, state.label)
        }
        guard !rows.isEmpty else { return "no vehicles" }
        return "\(Format.count(rows.count, "vehicle", "vehicles")): "
            + [presences, states].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }.joined(separator: "; ")
    }

    private static func count(_ number: Int, _ words: String) -> String? { number == 0 ? nil : "\(number) \(words)" }

    /// Returns lines without a newline. The first line contains the column titles.
    /// - Parameters:
    ///   - width: the maximum number of characters per line. Less important columns are dropped, then lines are cut.
    ///     nil: no limit.
    ///   - now: the current time, for ages.
    public func lines(width: Int? = nil, now: Timestamp) -> [String] {
        lines(width: width, shown: rows.indices, now: now)
    }

    /// Returns the titles and the lines of some rows, without a newline.
    /// - Parameters:
    ///   - width: as ``lines(width:now:)``.
    ///   - shown: The indices of the rows.
    ///   - now: The current time, for ages.
    func lines(width: Int?, shown: Range<Int>, now: Timestamp) -> [String] {
        let columns = FleetColumn.allCases
        let table = TextTable(
            columns.map { TextTable.Column($0.title, $0.alignment, dropOrder: $0.dropOrder) },
            rows: rows[shown].map { row in columns.map { $0.cell(row, now) } })
        return table.lines(width: width)
    }

    /// Returns the errors in documents, one line for each different one, without a newline.
    /// - Parameters:
    ///   - limit: the maximum number of lines; the last one then counts the omitted errors. nil: no limit.
    ///   - width: the maximum number of characters per line. nil: no limit.
    public func errorLines(limit: Int? = nil, width: Int? = nil) -> [String] {
        let all = DocumentError.lines(rows.lazy.map { ($0.name, $0.errors) }, \.text).map(\.printable)
        let shown = all.count <= limit ?? all.count ? all : Array(all.prefix(max((limit ?? 0) - 1, 0)))
        let rest =
            shown.count < all.count ? ["… and \(Format.count(all.count - shown.count, "error", "errors")) more"] : []
        return (shown + rest).map { Format.cut($0, to: width) }
    }

    /// Returns one JSON object per line.
    public func json() throws -> String {
        try rows.map { try JSONCoder.string(of: $0.jsonValue) + "\n" }.joined()
    }
}

/// A sort key that compares numbers in names by value: `van-2` before `van-10`.
struct NaturalSortKey: Comparable {
    private let parts: [(text: Substring, number: UInt64?)]

    init(_ name: String) {
        var parts: [(Substring, UInt64?)] = []
        var rest = name[...]
        while let first = rest.first {
            let run = rest.prefix { $0.isNumber == first.isNumber }
            parts.append((run, UInt64(run)))
            rest = rest[run.endIndex...]
        }
        self.parts = parts
    }

    static func == (left: NaturalSortKey, right: NaturalSortKey) -> Bool {
        left.parts.map(\.text) == right.parts.map(\.text)
    }

    static func < (left: NaturalSortKey, right: NaturalSortKey) -> Bool {
        for (one, other) in zip(left.parts, right.parts) where one.text != other.text {
            if let first = one.number, let second = other.number, first != second { return first < second }
            return one.text < other.text
        }
        return left.parts.count < right.parts.count
    }
}

extension FleetClient {
    /// The table of the vehicles.
    public var table: FleetTable { FleetTable(vehicles, desired: desired) }
}
