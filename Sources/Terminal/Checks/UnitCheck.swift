/// Checks the state of a program's service in systemd.
package struct UnitCheck: Sendable {
    private static let subject = "service"
    private static let properties =
        "LoadState,ActiveState,SubState,Result,NRestarts,StatusText,User,SupplementaryGroups"
    /// The number of restarts from which the service is reported.
    private static let manyRestarts = 5

    private let unit: String
    private let program: String
    /// The properties of the unit; empty if systemd does not run here.
    private let values: [String: String]

    /// Asks systemd.
    /// - Parameters:
    ///   - unit: The name of the unit.
    ///   - program: The program of the service, such as `agent`.
    package init(_ unit: String, program: String) {
        let ran = ExternalProgram.run("systemctl", ["show", unit, "--property=" + Self.properties])
        self.init(unit, program: program, properties: ran?.code == 0 ? ran?.output ?? "" : "")
    }

    /// - Parameter properties: The properties of the unit, one `NAME=VALUE` on each line.
    package init(_ unit: String, program: String, properties: String) {
        (self.unit, self.program) = (unit, program)
        var values: [String: String] = [:]
        for line in properties.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        self.values = values
    }

    private var isInstalled: Bool { values["LoadState"] == "loaded" }

    /// The user of the service; nil if systemd does not know it.
    package var user: ServiceUser? {
        guard isInstalled, let name = values["User"], !name.isEmpty else { return nil }
        let groups = (values["SupplementaryGroups"] ?? "").split(separator: " ").map { String($0) }
        return ServiceUser(name, moreGroups: groups)
    }

    /// Returns the finding.
    /// - Parameter isIdle: Whether the line with which the program describes its state says that it does not work.
    package func finding(isIdle: (String) -> Bool = { _ in false }) -> Finding {
        guard !values.isEmpty else { return Finding(.ok, Self.subject, "not checked: systemd does not run here") }
        guard isInstalled else {
            return Finding(.ok, Self.subject, "\(unit) is not installed: the \(program) is started by other means")
        }
        let (state, result) = (values["ActiveState"] ?? "", values["Result"] ?? "")
        let restarts = Int(values["NRestarts"] ?? "") ?? 0
        let log = "read journalctl -u \(unit)"
        guard state == "active" else {
            let isFailed = state == "failed" || values["SubState"] == "auto-restart"
            return Finding(
                isFailed ? .fail : .warn, Self.subject, "\(unit) is \(state)\(isFailed ? ", result \(result)" : "")",
                advice: isFailed ? log : "systemctl enable --now \(unit)")
        }
        let status = values["StatusText"] ?? ""
        guard !isIdle(status) else {
            return Finding(.fail, Self.subject, "\(unit) is active, but: \(status)", advice: log)
        }
        guard restarts < Self.manyRestarts else {
            return Finding(.warn, Self.subject, "\(unit) is active, after \(restarts) restarts", advice: log)
        }
        return Finding(.ok, Self.subject, "\(unit) is active")
    }
}
