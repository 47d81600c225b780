import Glibc

/// What the agent costs while little happens: positions at 1 Hz, a broker that is there.
struct IdleBenchmark {
    let options: Options

    func run(into report: inout Report) throws {
        let broker = try Broker()
        defer { broker.stop() }
        let fixed = "latitude: 40.4168, longitude: -3.7038"
        try measure(
            "idle at 1 Hz, simulated drive, defaults", source: "{ simulator: { \(fixed) } }", tracking: "{}",
            broker: broker, into: &report)
        try measure(
            "  every fix a record, committed and published at once", source: "{ simulator: { \(fixed) } }",
            tracking: "{ \(RunningAgent.everyFix) }", broker: broker, bar: nil, into: &report)
        try measure(
            "  without a source (gpsd not there)", source: try RunningAgent.silentSource(), tracking: "{}",
            broker: broker, into: &report)
    }

    private func measure(
        _ name: String, source: String, tracking: String, broker: Broker, bar: Double? = 0.1,
        into report: inout Report
    ) throws {
        let database = Files.path("idle.db")
        Files.removeDatabase(database)
        let agent = try RunningAgent(
            configuration: RunningAgent.configuration(
                port: broker.port, database: database, source: source, tracking: tracking))
        usleep(5_000_000)
        let before = (agent.process.processorSeconds, monotonicSeconds())
        usleep(UInt32(options.idleSeconds) * 1_000_000)
        let percent =
            (agent.process.processorSeconds - before.0) / (monotonicSeconds() - before.1) * 100
        let resident = agent.process.residentMegabytes
        agent.process.stop()
        report.add(
            "\(name) (% of a core)", ours: text(percent, 3), bar: bar.map { "≤ \(text($0, 1))" } ?? "",
            isMet: bar.map { percent <= $0 })
        report.add("  resident, plain (MB)", ours: text(resident, 1), bar: "≤ 18", isMet: resident <= 18)
    }
}
