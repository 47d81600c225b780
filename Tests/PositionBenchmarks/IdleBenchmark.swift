import Glibc

/// The cost of the agent with positions at 1 Hz and a connected broker.
struct IdleBenchmark {
    /// The time until the tracker's state is saved, the first records are published and the start's pages are released.
    private static let settleSeconds = 65

    let options: Options

    func run(into report: inout Report) throws {
        let broker = try Broker()
        defer { broker.stop() }
        let receiver = try Receiver()
        defer { receiver.stop() }
        let simulator = "{ simulator: { latitude: 40.4168, longitude: -3.7038 } }"
        let gpsd = "{ gpsd: { port: \(receiver.port) } }"
        try measure("idle at 1 Hz, simulated drive, defaults", source: simulator, port: broker.port, into: &report)
        try measure("idle at 1 Hz, a real gpsd, defaults", source: gpsd, port: broker.port, into: &report)
        try measure(
            "  every fix a record, committed and published at once", source: simulator,
            tracking: "{ \(RunningAgent.everyFix) }", port: broker.port, percentBar: nil, into: &report)
        try measure(
            "  without a source (gpsd not there)", source: try RunningAgent.silentSource(), port: broker.port,
            into: &report)
        do {
            let secure = try SecureBroker()
            defer { secure.stop() }
            try measure(
                "idle at 1 Hz, a real gpsd, TLS", source: gpsd, port: secure.port,
                tls: "tls: { ca_file: \"\(secure.authority)\" }", residentBar: 22, into: &report)
        } catch {
            report.fail("idle, TLS", error)
        }
    }

    private func measure(
        _ name: String, source: String, tracking: String = "{}", port: UInt16, tls: String? = nil,
        percentBar: Double? = 0.1, residentBar: Double = 18, into report: inout Report
    ) throws {
        let database = Files.path("idle.db")
        Files.removeDatabase(database)
        let agent = try RunningAgent(
            configuration: RunningAgent.configuration(
                port: port, database: database, source: source, tracking: tracking,
                scheme: tls == nil ? "mqtt" : "mqtts", broker: tls.map { ", \($0)" } ?? ""))
        var sent = 0
        try waitFor("a publication", seconds: 60) {
            sent = try agent.status("is_connected")?[0] ?? 0
            return sent == 1 ? true : nil
        }
        sleep(UInt32(Self.settleSeconds))
        let before = (agent.process.processorSeconds, monotonicSeconds())
        var resident: [Double] = []
        for _ in 0..<options.idleSeconds {
            sleep(1)
            resident.append(agent.process.residentMegabytes)
        }
        let percent = (agent.process.processorSeconds - before.0) / (monotonicSeconds() - before.1) * 100
        let peak = agent.process.peakMegabytes
        agent.process.stop()
        let samples = Samples(resident)
        report.add(
            "\(name) (% of a core)", ours: text(percent, 3), bar: percentBar.map { "≤ \(text($0, 1))" } ?? "",
            isMet: percentBar.map { percent <= $0 })
        report.add(
            "  resident\(tls == nil ? ", plain" : ", TLS") (MB)", ours: text(samples.median, 1),
            others: "most \(text(samples.largest, 1)), at the start \(text(peak, 1))",
            bar: "≤ \(text(residentBar, 0))", isMet: samples.median <= residentBar)
    }
}

/// A mosquitto with TLS and its own certificate.
struct SecureBroker {
    let port: UInt16
    /// The path of the authority's certificate.
    let authority = Files.path("authority.crt")
    private let process: ChildProcess

    init() throws {
        port = try Broker.freePort()
        let (key, certificate) = (Files.path("broker.key"), authority)
        // Self-signed, so it is also the authority's certificate.
        try Files.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ])
        chmod(key, 0o644)
        chmod(Files.folder, 0o755)
        let path = Files.path("mosquitto.conf")
        try Files.write(
            """
            listener \(port) 127.0.0.1
            allow_anonymous true
            certfile \(certificate)
            keyfile \(key)
            """, to: path)
        process = try ChildProcess(["mosquitto", "-c", path], output: Files.path("mosquitto-tls.log"))
        let own = port
        try waitFor("mosquitto", seconds: 10) { Socket.isServed(own) ? true : nil }
    }

    func stop() { process.stop() }
}
