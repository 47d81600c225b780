import OdographHTTP
import OdographSettings

/// The configuration of a recorder.
package struct RecorderConfiguration: Hashable, Sendable {
    /// The recorded fleets, their broker, and the database.
    package var recording: RecordingSettings
    /// The age above which records are removed, days; nil to keep all.
    package var retentionDays: Int?
    /// The answers to requests about the past.
    package var history: HistorySettings
    /// The metrics; nil for none.
    package var metrics: MetricsSettings?
    /// The rules.
    package var rules: [Rule]
    /// The relay to Traccar; nil for none.
    package var relay: RelaySettings?

    /// The topic filters of the requests about the past; empty if the recorder does not answer them.
    package var historyFilters: [String] { history.filters(of: recording) }

    /// Sets the file of the metrics.
    package mutating func setMetricsFile(_ path: String) {
        metrics = MetricsSettings(path: path, seconds: metrics?.seconds ?? MetricsSettings(path: path).seconds)
    }

    /// The files with tokens for web services, and with the passwords of the mail server and of the database.
    package var secretFiles: [SecretFile] {
        var files: Set<SecretFile> = []
        if case .server(let address) = recording.database, let file = address.passwordFile {
            files.insert(SecretFile(path: file, role: "password of the database"))
        }
        if let token = relay?.service.tokenFile { files.insert(SecretFile(path: token, role: "token")) }
        for rule in rules {
            switch rule.target {
            case .webhook(let service):
                if let token = service.tokenFile { files.insert(SecretFile(path: token, role: "token")) }
            case .email(let mail):
                if let login = mail.settings.login {
                    files.insert(SecretFile(path: login.passwordFile, role: "password"))
                }
            case .command: break
            }
        }
        return files.sorted { $0.path < $1.path }
    }

    /// Lines about metrics, rules and relay for people.
    package var serviceLines: String {
        var lines: [String] = []
        if let metrics { lines.append("metrics   \(metrics.path), every \(metrics.seconds.shortText) s") }
        lines += rules.map { "rule      \($0.name): \($0.condition.kind.rawValue), to \($0.target.description)" }
        if let relay { lines.append("relay     \(relay.service.address.origin)") }
        return lines.map { $0 + "\n" }.joined()
    }
}
