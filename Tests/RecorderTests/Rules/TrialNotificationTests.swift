import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographTerminal
import Testing

@testable import OdographRecorder

@Suite("Trial notifications")
struct TrialNotificationTests {
    private static let time = Timestamp(iso8601: "2026-11-30T10:00:00.000Z") ?? .now

    /// Delivers a trial notification of a rule.
    private func attempt(_ target: NotificationTarget, fleet: String? = nil) async throws(ExitError) {
        var rule = NotificationTests.depot(target)
        rule.fleet = fleet
        let refusals = try await TrialNotification(ofRule: "depot", in: [rule]).deliver(at: Self.time)
        #expect(refusals.isEmpty)
    }

    @Test("The target of the rule gets it once, of no vehicle of the fleet and without a place")
    func delivered() async throws {
        let web = try StubWebService()
        try await attempt(try NotificationTests.webhook(web.port), fleet: "acme")
        let request = try #require(web.requests.first)
        let content = try JSONCoder.decode(RuleNotification.self, from: Array(request.body.utf8))
        #expect(web.requests.count == 1)
        #expect(content.rule == "depot" && content.fleet == "acme" && content.device == "trial")
        #expect(content.time == Self.time && content.position == nil && content.seq == nil)
    }

    @Test("What the target does not take is an error that says why")
    func refused() async throws {
        let answers: [(Int, String)] = [(415, "refuses the notification"), (500, "cannot be delivered"), (404, "404")]
        for (status, words) in answers {
            let web = try StubWebService { _ in StubWebService.Answer(status) }
            let error = await #expect(throws: ExitError.self) {
                try await attempt(try NotificationTests.webhook(web.port))
            }
            #expect(error?.code == .unavailable && error?.text.contains(words) == true)
        }
        let error = await #expect(throws: ExitError.self) {
            try await attempt(.command(["/bin/sh", "-c", "exit 3"]))
        }
        #expect(error?.text.contains("exit code 3") == true)
    }

    @Test("A name that no rule has is refused with the names of the rules")
    func unknown() throws {
        let rules = [NotificationTests.depot(.command(["/bin/true"]))]
        let error = #expect(throws: ExitError.self) { try TrialNotification(ofRule: "depots", in: rules) }
        #expect(error?.code == .usage && error?.text.hasSuffix("the rules are depot") == true)
        #expect(throws: ExitError.self) { try TrialNotification(ofRule: "depot", in: []) }
    }
}
