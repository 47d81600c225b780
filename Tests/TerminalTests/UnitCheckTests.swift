import Testing

@testable import OdographTerminal

@Suite("The doctor's check of a service")
struct UnitCheckTests {
    private func check(_ properties: String) -> UnitCheck {
        UnitCheck("a.service", program: "recorder", properties: properties)
    }

    @Test(
        "The state of the service is read from systemd's properties",
        arguments: [
            ("LoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nNRestarts=0", "ok"),
            ("LoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nNRestarts=9", "warn"),
            ("LoadState=loaded\nActiveState=inactive\nSubState=dead\nResult=success\nNRestarts=0", "warn"),
            ("LoadState=loaded\nActiveState=failed\nSubState=failed\nResult=exit-code\nNRestarts=0", "fail"),
            ("LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nResult=exit-code\nNRestarts=3", "fail"),
            ("LoadState=not-found\nActiveState=inactive\nSubState=dead\nResult=success\nNRestarts=0", "ok"),
            ("", "ok"),
        ])
    func unit(properties: String, level: String) {
        #expect(check(properties).finding().level.rawValue == level)
    }

    @Test("A service that runs and says that it does not work is a failure with its own words")
    func idle() {
        let waiting = check("LoadState=loaded\nActiveState=active\nStatusText=waiting for x=1: refused")
        let finding = waiting.finding { $0.hasPrefix("waiting") }
        #expect(finding.level == .fail && finding.text == "a.service is active, but: waiting for x=1: refused")
        #expect(waiting.finding().level == .ok)
    }

    @Test("The user of the service is that of the unit, if this machine has it")
    func user() {
        #expect(check("LoadState=loaded\nUser=root\nSupplementaryGroups=root").user?.name == "root")
        #expect(check("LoadState=loaded\nUser=").user == nil)
        #expect(check("LoadState=loaded\nUser=no user").user == nil)
        #expect(check("LoadState=not-found\nUser=root").user == nil)
    }
}
