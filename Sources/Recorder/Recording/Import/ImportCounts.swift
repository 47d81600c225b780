import OdographCivilTime
import OdographJSON

/// The counts of a file's lines by the result of their import.
package struct ImportCounts: Hashable, Sendable {
    /// The positions that were stored.
    package var stored = 0
    /// The positions that were there before.
    package var known = 0
    /// The positions that were removed.
    package var removed = 0
    /// The positions that were to be removed, and are not there.
    package var absent = 0
    /// The positions of times that were erased: they do not come back.
    package var erased = 0
    /// The lines that have no position.
    package var others = 0
    /// The positions that cannot be read.
    package var unreadable = 0
    /// The times of the first and the last position; nil if there is none.
    package var times: ClosedRange<Timestamp>?

    /// Notes the time of a position.
    mutating func note(_ time: Timestamp) {
        times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }

    /// Adds the counts of other lines.
    mutating func add(_ other: ImportCounts) {
        stored += other.stored
        known += other.known
        removed += other.removed
        absent += other.absent
        erased += other.erased
        others += other.others
        unreadable += other.unreadable
    }

    /// The counts as one line, without a line end.
    package var text: String {
        Self.text(stored, "stored") + rest
    }

    /// The counts of a file that was only read, as one line.
    package var readText: String { Self.text(stored, "readable, none stored") + rest }

    /// The counts of a removal, as one line.
    package var removalText: String { Self.text(removed, "removed") + rest }

    private static func text(_ count: Int, _ what: String) -> String {
        "\(count) \(count == 1 ? "position" : "positions") \(what)"
    }

    private var rest: String {
        let parts = [
            (known, known == 1 ? "was there before" : "were there before"),
            (absent, absent == 1 ? "was not there" : "were not there"),
            (erased, erased == 1 ? "is of an erased time" : "are of an erased time"),
            (unreadable, "cannot be read"),
            (others, others == 1 ? "line without a valid position" : "lines without a valid position"),
        ]
        let counts = parts.reduce("") { $0 + ($1.0 > 0 ? ", \($1.0) \($1.1)" : "") }
        guard let times else { return counts }
        return counts + "; from \(times.lowerBound.iso8601) to \(times.upperBound.iso8601)"
    }

    /// The counts as one JSON object.
    /// - Parameter path: The file.
    package func json(of path: String) throws -> String {
        try JSONCoder.string(
            of: JSONValue.object([
                "file": .string(path), "stored": .integer(Int64(stored)), "known": .integer(Int64(known)),
                "removed": .integer(Int64(removed)), "absent": .integer(Int64(absent)),
                "erased": .integer(Int64(erased)), "others": .integer(Int64(others)),
                "unreadable": .integer(Int64(unreadable)),
            ]))
    }
}
