import FoundationEssentials
import Glibc
import OdographHarness
import Testing

/// Checks the schedule on the shipped executable, which is static, stripped, and without the zones of the C library and
/// of ICU. If such a build used one of those, it would not know any named zone.
///
///     swift build -c release --static-swift-stdlib --product odograph && strip .build/release/odograph
///     ODOGRAPH_BINARY=.build/release/odograph swift test --filter ShippedScheduleTests
///
/// Without `ODOGRAPH_BINARY` the executable that was built with the tests is checked, on every 200th row of the
/// corpora. `ODOGRAPH_SCHEDULE_EVERY=40` selects every 40th row.
@Suite("The schedule of the executable")
struct ShippedScheduleTests {
    private static let shipped = getenv("ODOGRAPH_BINARY").map { String(cString: $0) }
    private static var executable: String { shipped ?? Odograph.executable }
    private static let every = getenv("ODOGRAPH_SCHEDULE_EVERY").flatMap { Int(String(cString: $0)) }

    private struct Answer: Decodable {
        var within: Bool
        var next_change: String?
    }

    /// An expression, a zone, a time, and the right answer.
    struct Row: Sendable {
        var expression, zone, at: String
        var within: Bool
        var next: String?
    }

    /// Rows that were worked out by hand from the zones' rules.
    static let rows: [Row] = [
        // Madrid's clock goes forward on 2027-03-28 at 02:00 local time: 03:00 follows 01:59, so 02:30 does not exist.
        Row(
            expression: "30-59 2 * * *", zone: "Europe/Madrid", at: "2027-03-27T23:30:00Z", within: false,
            next: "2027-03-29T00:30:00.000Z"),
        Row(
            expression: "* 3 28 3 *", zone: "Europe/Madrid", at: "2027-03-28T00:59:59Z", within: false,
            next: "2027-03-28T01:00:00.000Z"),
        // Madrid's clock goes back on 2027-10-31 at 03:00: 02:00 to 02:59 occurs twice without a break.
        Row(
            expression: "* 2 * * *", zone: "Europe/Madrid", at: "2027-10-31T00:30:00Z", within: true,
            next: "2027-10-31T02:00:00.000Z"),
        // New York's clock goes back on 2026-11-01 at 02:00: 01:30 to 01:59 occurs twice with a break.
        Row(
            expression: "30-59 1 * * *", zone: "America/New_York", at: "2026-11-01T05:45:00Z", within: true,
            next: "2026-11-01T06:00:00.000Z"),
        Row(
            expression: "30-59 1 * * *", zone: "America/New_York", at: "2026-11-01T06:00:00Z", within: false,
            next: "2026-11-01T06:30:00.000Z"),
        // Lord Howe's clock changes by 30 min, Kathmandu's offset is 5:45 h, and Kiritimati's is 14 h.
        Row(
            expression: "0-29 2 4 10 *", zone: "Australia/Lord_Howe", at: "2026-10-03T15:00:00Z", within: false,
            next: "2027-10-03T15:00:00.000Z"),
        Row(
            expression: "* 9 * * *", zone: "Asia/Kathmandu", at: "2026-11-21T03:15:00Z", within: true,
            next: "2026-11-21T04:15:00.000Z"),
        Row(
            expression: "* * 1 1 *", zone: "Pacific/Kiritimati", at: "2026-12-31T09:59:00Z", within: false,
            next: "2026-12-31T10:00:00.000Z"),
        // Years after the end of the file's table follow the rule at the end of the file.
        Row(
            expression: "* 10-20 * * 1-5", zone: "Europe/Madrid", at: "2099-07-15T07:59:59Z", within: false,
            next: "2099-07-15T08:00:00.000Z"),
        Row(
            expression: "* 10-20 * * 1-5", zone: "Europe/Madrid", at: "2099-01-15T08:59:59Z", within: false,
            next: "2099-01-15T09:00:00.000Z"),
        Row(expression: "* * * * *", zone: "Asia/Tokyo", at: "2026-11-21T00:00:00Z", within: true, next: nil),
        Row(
            expression: "* 12 * * *", zone: "UTC", at: "2026-11-21T12:00:00Z", within: true,
            next: "2026-11-21T13:00:00.000Z"),
    ]

    private func answer(_ row: Row) async throws -> Answer {
        let ran = try await ChildProcess.run(
            Self.executable, ["schedule", row.expression, "--time-zone", row.zone, "--at", row.at, "--json"])
        guard ran.ending == .exited(0) else { throw HarnessError("\(row): \(ran.errors)") }
        return try JSONDecoder().decode(Answer.self, from: Data(ran.output.utf8))
    }

    @Test("Named zones are right in gaps, overlaps, odd offsets and far years", arguments: rows)
    func byHand(row: Row) async throws {
        let answer = try await answer(row)
        #expect(answer.within == row.within, "\(row)")
        #expect(answer.next_change == row.next, "\(row)")
    }

    @Test("The executable agrees with two libraries", .enabled(if: Corpora.exist))
    func corpora() async throws {
        let lines = try Self.truth().split(separator: "\n").dropFirst()
        // Each row needs a process: all rows on the shipped executable, every 200th row otherwise.
        let step = max(Self.every ?? (Self.shipped == nil ? 200 : 1), 1)
        let rows = lines.enumerated().filter { $0.offset.isMultiple(of: step) }.compactMap { Self.row($0.element) }
        let wrong = try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<Self.workers {
                group.addTask {
                    try await wrongAnswers(to: rows.indices.filter { $0 % Self.workers == worker }.map { rows[$0] })
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
    }

    /// The number of concurrent processes. Most of a process's few milliseconds are its start and its end.
    private static let workers = 8

    private func wrongAnswers(to rows: [Row]) async throws -> [String] {
        var wrong: [String] = []
        for row in rows {
            let answer = try await answer(row)
            if answer.within != row.within || answer.next_change != row.next { wrong.append("\(row): \(answer)") }
        }
        return wrong
    }

    @Test("Without zone files a message names the package to install, and UTC still works")
    func noZoneFiles() async throws {
        let nowhere = ["TZDIR": "/nonexistent"]
        let named = try await ChildProcess.run(
            Self.executable, ["schedule", "* 9 * * *", "--time-zone", "Europe/Madrid"], environment: nowhere)
        #expect(named.ending == .exited(65))
        #expect(named.errors.contains("install the package tzdata"), "\(named.errors)")
        let universal = try await ChildProcess.run(
            Self.executable, ["schedule", "* 9 * * *", "--time-zone", "UTC"], environment: nowhere)
        #expect(universal.ending == .exited(0), "\(universal.errors)")
    }

    private static func truth() throws -> String {
        let path = (Corpora.folder ?? "") + "/cron/truth.csv"
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw HarnessError(path) }
        return String(decoding: data, as: UTF8.self)
    }

    /// Parses `"* 10-20 * * 1,2",UTC,2013-06-10T13:22:39Z,<local>,1,2013-06-10T21:00:00Z,…`; the quotes are optional.
    private static func row(_ line: Substring) -> Row? {
        var rest = line
        var expression: Substring
        if rest.hasPrefix("\"") {
            rest = rest.dropFirst()
            expression = rest.prefix { $0 != "\"" }
            rest = rest.dropFirst(expression.count + 2)
        } else {
            expression = rest.prefix { $0 != "," }
            rest = rest.dropFirst(expression.count + 1)
        }
        let fields = rest.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 5 else { return nil }
        let next = fields[4] == "never" ? nil : fields[4].replacing("Z", with: ".000Z")
        return Row(
            expression: String(expression), zone: fields[0], at: fields[1], within: fields[3] == "1", next: next)
    }
}
