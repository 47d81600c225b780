import OdographCrontab
import FoundationEssentials
import OdographHarness
import Testing

@Suite("Refused expressions")
struct MalformedTests {
    struct Row: Decodable {
        let expr: String
        let field: Int
        let message: String
    }

    @Test(
        "Every malformed line is refused with its field and the expected message", .enabled(if: Corpora.exist))
    func corpus() throws {
        let rows = try JSONDecoder().decode([Row].self, from: Data(CorpusFile.text("cron/malformed.json").utf8))
        #expect(rows.count > 50)
        for row in rows {
            let error = #expect(throws: ScheduleError.self, "\(row.expr)") { try Schedule(row.expr) }
            guard let error else { continue }
            #expect((error.field?.rawValue ?? 0) == row.field, "\(row.expr)")
            let missing = Self.keyWords(row.message).filter { !error.description.contains($0) }
            #expect(missing.isEmpty, "\(row.expr): \"\(error)\" does not say what \"\(row.message)\" says")
        }
    }

    /// Returns the necessary parts of a message: its quotations, its numbers and names in capitals.
    private static func keyWords(_ message: String) -> [String] {
        let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
        let quoted = parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
        let others = parts.indices.filter { $0 % 2 == 0 }.flatMap { parts[$0].split { " ,;:()".contains($0) } }
        return quoted + others.filter { $0.contains { $0.isNumber || $0.isUppercase } }.map(String.init)
    }

    @Test(
        "An error names the field, the wrong text and a correction",
        arguments: [
            ("", 0, "", "empty; 5 fields needed: minute hour day-of-month month day-of-week"),
            ("   \t ", 0, "   \t ", "empty; 5 fields needed: minute hour day-of-month month day-of-week"),
            (
                "0 0 10 * * *", 0, "0 0 10 * * *",
                "6 fields, 5 needed: minute hour day-of-month month day-of-week; seconds (Quartz) are not supported"
            ),
            ("@hourly *", 0, "@hourly *", "nothing may follow @hourly"),
            ("@EVERY 2h", 0, "@EVERY 2h", "@every is not supported; use \"0 */2 * * *\""),
            (
                "@x", 0, "@x",
                "unknown macro \"@x\"; use one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually"
            ),
            (
                "*\u{2003}* * * *", 0, "*\u{2003}* * * *",
                "fields are separated by spaces or tabs; found the space character U+2003"
            ),
            ("1–5 * * * *", 1, "–5", "minute: unexpected character \"–\" (U+2013, a dash); for a range write \"-\""),
            ("* 10:30 * * *", 2, ":30", "hour: unexpected \":\"; the minute is a separate field, the first one"),
            ("* * L-3 * *", 3, "L-3", "day of month: write \"L\" (the last day) alone or in a list"),
            ("* * LW * *", 3, "LW", "day of month: \"W\" is not supported; write the days, or weekdays 1-5"),
            (
                "* * * * 5L", 5, "5L",
                "day of week: \"L\" after a weekday is not supported; the fourth is \"#4\", a fifth \"#5\""
            ),
            ("* * * * 1-5#2", 5, "1-5#2", "day of week: \"#\" needs one weekday before it, such as \"1#1,5#1\""),
            (
                "* * * * FRI#", 5, "",
                "day of week: write #1 to #5 after the weekday to select one Friday of the month"
            ),
            ("* * * * 6-0", 5, "6-0", "day of week: range 6-0 runs backwards; for Sunday at its end write \"6-7\""),
            ("* * * * FRI-TUE", 5, "FRI-TUE", "day of week: range FRI-TUE runs backwards; write \"FRI-6,0-TUE\""),
            ("* * * * JAN", 5, "JAN", "day of week: \"JAN\" is a month; weekdays are SUN..SAT"),
            ("* * * FEBURARY *", 4, "FEBURARY", "month: unknown name \"FEBURARY\"; use FEB"),
            ("* * * * TUS", 5, "TUS", "day of week: unknown name \"TUS\"; use TUE"),
            ("* * * * xyz", 5, "xyz", "day of week: unknown name \"xyz\"; weekdays are SUN..SAT"),
            (
                "* * */3 2 5#5", 3, "*/3",
                "day of month: never matches: these days of month never fall on these weekdays"
            ),
            ("* * 30,31 2 *", 3, "30,31", "day of month: never matches: February has no day 30"),
            ("* */0 * * *", 2, "0", "hour: step \"0\" must be a positive whole number"),
            ("* /5 * * *", 2, "/5", "hour: a number or \"*\" is missing before \"/\"; write \"*/5\""),
            ("* * 32 * *", 3, "32", "day of month: 32 is out of range 1-31; for the last day of each month write L"),
            ("\u{0} * * * *", 1, "\u{0}", "minute: unexpected \"\\u{0}\" in \"\\u{0}\""),
        ])
    func messages(expression: String, field: Int, text: String, message: String) {
        let error = #expect(throws: ScheduleError.self) { try Schedule(expression) }
        #expect((error?.field?.rawValue ?? 0) == field)
        #expect(error?.text == text)
        #expect(error?.description == message)
    }

    @Test(
        "A name in another language is corrected to its own day or month, or not at all",
        arguments: [
            ("lun", "MON"), ("LUN", "MON"), ("lunes", "MON"), ("lundi", "MON"), ("Montag", "MON"), ("maandag", "MON"),
            ("mardi", "TUE"), ("martes", "TUE"), ("Dienstag", "TUE"), ("ter", "TUE"), ("mer", "WED"), ("mié", "WED"),
            ("Mittwoch", "WED"), ("don", "THU"), ("jeu", "THU"), ("jue", "THU"), ("gio", "THU"), ("qui", "THU"),
            ("ven", "FRI"), ("vie", "FRI"), ("vrijdag", "FRI"), ("sex", "FRI"), ("pat", "FRI"), ("sam", "SAT"),
            ("sáb", "SAT"), ("sab", "SAT"), ("lör", "SAT"), ("zat", "SAT"), ("dom", "SUN"), ("dim", "SUN"),
            ("son", "SUN"), ("zon", "SUN"), ("sön", "SUN"), ("niedziela", "SUN"), ("pon", "MON"), ("sen", "MON"),
            // Of different days in different languages.
            ("di", nil), ("ma", nil), ("do", nil), ("so", nil), ("min", "SUN"), ("paz", nil),
            // Nobody's.
            ("run", nil), ("fun", nil), ("xat", nil), ("sut", nil),
        ] as [(String, String?)])
    func foreignWeekdays(name: String, meant: String?) {
        let error = #expect(throws: ScheduleError.self) { try Schedule("* * * * \(name)") }
        let hint = meant.map { "use \($0)" } ?? "weekdays are SUN..SAT"
        #expect(error?.reason == "unknown name \"\(name)\"; \(hint)")
    }

    @Test(
        "A month in another language is corrected to itself, or not at all",
        arguments: [
            ("ene", "JAN"), ("gen", "JAN"), ("fév", "FEB"), ("luty", "FEB"), ("mrz", "MAR"), ("März", "MAR"),
            ("mrt", "MAR"), ("abr", "APR"), ("avr", "APR"), ("mai", "MAY"), ("maj", "MAY"), ("mag", "MAY"),
            ("mei", "MAY"), ("giu", "JUN"), ("juin", "JUN"), ("juillet", "JUL"), ("lug", "JUL"), ("ago", "AUG"),
            ("août", "AUG"), ("set", "SEP"), ("out", "OCT"), ("ott", "OCT"), ("okt", "OCT"), ("dic", "DEC"),
            ("dez", "DEC"), ("déc", "DEC"), ("marraskuu", "NOV"), ("jui", nil), ("ma", nil), ("ju", nil),
        ] as [(String, String?)])
    func foreignMonths(name: String, meant: String?) {
        let error = #expect(throws: ScheduleError.self) { try Schedule("* * * \(name) *") }
        let hint = meant.map { "use \($0)" } ?? "months are JAN..DEC"
        #expect(error?.reason == "unknown name \"\(name)\"; \(hint)")
    }

    @Test("A month of English that is a weekday of other languages is both")
    func march() {
        let error = #expect(throws: ScheduleError.self) { try Schedule("* * * * mar") }
        #expect(error?.reason == "\"mar\" is a month; weekdays are SUN..SAT (Tuesday is TUE)")
        let range = #expect(throws: ScheduleError.self) { try Schedule("* * * * lun-vie") }
        #expect(range?.reason == "unknown name \"lun\"; use MON")
    }

    @Test("A long expression is refused before it is parsed, and a message does not repeat it whole")
    func long() {
        let list = String(repeating: "1,", count: 600)
        let error = #expect(throws: ScheduleError.self) { try Schedule("\(list)1 * * * *") }
        #expect(error?.reason == "1209 bytes; an expression has at most 1024")
        let unknown = #expect(throws: ScheduleError.self) {
            try Schedule("* * * * \(String(repeating: "q", count: 900))")
        }
        #expect(unknown.map { $0.description.utf8.count < 200 } == true)
    }
}
