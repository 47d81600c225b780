import OdographLink

extension FleetRecorder {
    /// The time for which a name lookup may block the thread of the session: twice the resolver's 5 s × 2 attempts × 3
    /// servers.
    static let probeTimeout = Duration.seconds(60)

    /// Returns whether the session with the broker answers, and its events are handled. A recorder whose thread is
    /// stuck in a commit does not return. An absent broker or database is no fault of the recorder.
    package func isWorking() -> Bool {
        guard let client else { return true }
        if let probe { return probe.duration(to: .now) <= Self.probeTimeout }
        probe = .now
        client.probe()
        return true
    }

    /// The beginning of the state of a recorder whose database has failed.
    static let withoutDatabase = "disconnected from the broker, because the database cannot be used"

    /// The state as a line for people; nil while the recorder waits for its database, because the hook for that is
    /// called with the reason.
    package var statusLine: String? {
        if let failure { return "\(Self.withoutDatabase): \(failure)" }
        if database == nil { return nil }
        return isConnected ? "recording" : "no connection to the broker"
    }

    /// Subscribes again with each filter that matches no message for a time, because the broker can have lost it.
    func watchSubscriptions(of client: MQTTClient) async {
        _ = subscriptions.turn()
        while (try? await Task.sleep(for: .seconds(patience.silenceSeconds))) != nil {
            let silent = subscriptions.turn()
            if isConnected, !silent.isEmpty { client.subscribe(silent) }
        }
    }
}
