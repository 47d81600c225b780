import OdographTerminal

/// Checks the state of the service in systemd.
enum UnitCheck {
    private static let subject = "service"
    /// The number of restarts from which the service is reported.
    private static let manyRestarts = 5

    /// Returns the finding for a unit.
    static func finding(of unit: String) -> Finding {
        let properties = "LoadState,ActiveState,SubState,Result,NRestarts"
        let ran = ExternalProgram.run("systemctl", ["show", unit, "--property=" + properties])
        guard let ran, ran.code == 0 else {
            return Finding(.ok, subject, "not checked: systemd does not run here")
        }
        return finding(of: unit, properties: ran.output)
    }

    /// Returns the finding for the properties of a unit, one `NAME=VALUE` on each line.
    static func finding(of unit: String, properties: String) -> Finding {
        var values: [Substring: String] = [:]
        for line in properties.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[parts[0]] = String(parts[1]) }
        }
        guard values["LoadState"] == "loaded" else {
            return Finding(.ok, subject, "\(unit) is not installed: the recorder is started by other means")
        }
        let (state, result) = (values["ActiveState"] ?? "", values["Result"] ?? "")
        let restarts = Int(values["NRestarts"] ?? "") ?? 0
        let log = "read journalctl -u \(unit)"
        guard state == "active" else {
            let isFailed = state == "failed" || values["SubState"] == "auto-restart"
            return Finding(
                isFailed ? .fail : .warn, subject, "\(unit) is \(state)\(isFailed ? ", result \(result)" : "")",
                advice: isFailed ? log : "systemctl enable --now \(unit)")
        }
        guard restarts < manyRestarts else {
            return Finding(.warn, subject, "\(unit) is active, after \(restarts) restarts", advice: log)
        }
        return Finding(.ok, subject, "\(unit) is active")
    }
}
