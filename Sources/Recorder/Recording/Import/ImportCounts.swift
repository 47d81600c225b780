import OdographJSON

/// The counts of a file's lines by the result of their import.
package struct ImportCounts: Hashable, Sendable {
    /// The positions that were stored.
    package var stored = 0
    /// The positions that were there before.
    package var known = 0
    /// The positions of times that were erased: they do not come back.
    package var erased = 0
    /// The lines that have no position.
    package var others = 0
    /// The positions that cannot be read.
    package var unreadable = 0

    /// Adds the counts of other lines.
    mutating func add(_ other: ImportCounts) {
        stored += other.stored
        known += other.known
        erased += other.erased
        others += other.others
        unreadable += other.unreadable
    }

    /// The counts as one line, without a line end.
    package var text: String {
        let parts = [
            (known, "were there before"), (erased, "are of an erased time"), (unreadable, "cannot be read"),
        ]
        return parts.reduce("\(stored) positions stored") { $0 + ($1.0 > 0 ? ", \($1.0) \($1.1)" : "") }
    }

    /// The counts as one JSON object.
    /// - Parameter path: The file.
    package func json(of path: String) throws -> String {
        try JSONCoder.string(
            of: JSONValue.object([
                "file": .string(path), "stored": .integer(Int64(stored)), "known": .integer(Int64(known)),
                "erased": .integer(Int64(erased)), "others": .integer(Int64(others)),
                "unreadable": .integer(Int64(unreadable)),
            ]))
    }
}
