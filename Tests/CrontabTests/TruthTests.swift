import OdographCivilTime
import OdographCrontab
import Glibc
import OdographHarness
import Testing

@Suite("Comparison with two independent libraries")
struct TruthTests {
    struct Row: Sendable {
        let line: Int
        let expression: String
        let zone: String
        let instant: Timestamp
        let matches: Bool
        /// Nil: never.
        let next: Timestamp?
    }

    @Test("Every row matches: state and next change", .enabled(if: Corpora.exist))
    func truth() throws {
        let rows = try rows(of: "truth.csv")
        #expect(rows.count == 9969)
        var zones: [String: ZoneRules] = [:]
        for row in rows {
            let zone = try zones[row.zone] ?? ZoneDirectory.system.rules(named: row.zone)
            zones[row.zone] = zone
            let schedule = try Schedule(row.expression)
            #expect(schedule.isOpen(at: row.instant, in: zone) == row.matches, "line \(row.line)")
            #expect(schedule.nextChange(after: row.instant, in: zone) == row.next, "line \(row.line)")
        }
    }

    @Test("If the libraries differ on a starred day of month, cron's interpretation holds", .enabled(if: Corpora.exist))
    func disputed() throws {
        let rows = try rows(of: "disputed.csv")
        #expect(rows.count == 122)
        for row in rows {
            let schedule = try Schedule(row.expression)
            let zone = try ZoneDirectory.system.rules(named: row.zone)
            #expect(schedule.isOpen(at: row.instant, in: zone) == row.matches, "line \(row.line)")
            #expect(schedule.nextChange(after: row.instant, in: zone) == row.next, "line \(row.line)")
        }
    }

    private func rows(of file: String) throws -> [Row] {
        let text = try CorpusFile.text("cron/\(file)")
        return try text.split(separator: "\n").enumerated().dropFirst().map { index, line in
            let cells = CorpusFile.cells(line)
            let instant = try #require(Timestamp(iso8601: cells[2]))
            let next = Timestamp(iso8601: cells[5])
            try #require(next != nil || cells[5] == "never")
            return Row(
                line: index + 1, expression: cells[0], zone: cells[1], instant: instant, matches: cells[4] == "1",
                next: next)
        }
    }
}

/// The files of the corpora.
enum CorpusFile {
    static func text(_ path: String) throws -> String { try FileContents.text("\(Corpora.folder ?? "")/\(path)") }

    /// Returns the cells of a line of CSV, some of them in quotes.
    static func cells(_ line: Substring) -> [String] {
        var cells = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: cells.append("")
            default: cells[cells.count - 1].append(character)
            }
        }
        return cells
    }
}
