import OdographHarness
import Testing

@Suite("odograph schedule")
struct ScheduleTests {
    private static let office = ["schedule", "* 10-20 * * 1-5", "--time-zone", "Europe/Madrid"]

    private func run(_ arguments: [String]) async throws -> (
        ending: ChildProcess.Ending, output: String, errors: String
    ) {
        try await ChildProcess.run(Odograph.executable, arguments)
    }

    @Test("The output explains the schedule, draws the week and lists the next changes")
    func text() async throws {
        let ran = try await run(Self.office + ["--at", "2026-11-20T12:00:00Z"])
        #expect(ran.ending == .exited(0), "\(ran.errors)")
        #expect(ran.output.contains("from 10:00 to 20:59 on Monday to Friday"))
        #expect(ran.output.contains("Fri 2026-11-20 13:00 (UTC+01:00): open"))
        #expect(ran.output.contains("Fri 2026-11-20 21:00 (UTC+01:00)  closes"))
        #expect(ran.output.contains("Mon 2026-11-23 10:00 (UTC+01:00)  opens"))
    }

    @Test("The JSON output contains within and next_change")
    func json() async throws {
        let ran = try await run(Self.office + ["--at", "2026-11-21T12:00:00Z", "--json"])
        #expect(ran.output.contains("\"within\":false"))
        #expect(ran.output.contains("\"next_change\":\"2026-11-23T09:00:00.000Z\""))
    }

    @Test("Several expressions are one schedule, without a change where they adjoin")
    func several() async throws {
        let nights = ["schedule", "* 22-23 * * 1-5", "* 0-5 * * 2-6", "--time-zone", "UTC"]
        let ran = try await run(nights + ["--at", "2026-11-20T12:00:00Z", "--json"])
        #expect(ran.output.contains("\"expression\":[\"* 22-23 * * 1-5\",\"* 0-5 * * 2-6\"]"), "\(ran.errors)")
        #expect(ran.output.contains("\"next_change\":\"2026-11-20T22:00:00.000Z\""))
        #expect(ran.output.contains("{\"at\":\"2026-11-21T06:00:00.000Z\",\"within\":false}"))
        #expect(!ran.output.contains("T00:00"))
        let wrong = try await run(["schedule", "* 8 * * *", "* 25 * * *"])
        #expect(wrong.ending == .exited(65) && wrong.errors.contains("\"* 25 * * *\": hour"), "\(wrong.errors)")
    }

    @Test(
        "A time without an offset is in the schedule's own time zone",
        arguments: ["2026-11-20T10:00", "2026-11-20 10:00:00", "2026-11-20T09:00Z", "2026-11-20T10:00+01:00"])
    func localTime(at: String) async throws {
        let ran = try await run(Self.office + ["--at", at, "--json"])
        #expect(ran.output.contains("\"at\":\"2026-11-20T09:00:00.000Z\""), "\(ran.output) \(ran.errors)")
    }

    @Test(
        "A mistake is reported with its field and a remedy",
        arguments: [
            (["schedule", "* 25 * * *"], "hour"), (["schedule", "* * * *"], "5 needed"),
            (["schedule", "* 9 * * *", "--time-zone", "Europe/Madird"], "did you mean Europe/Madrid?"),
        ])
    func mistakes(arguments: [String], words: String) async throws {
        let ran = try await run(arguments)
        #expect(ran.ending == .exited(65))
        #expect(ran.output.isEmpty)
        #expect(ran.errors.contains(words), "\(ran.errors)")
    }
}
