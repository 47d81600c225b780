import Glibc
import Odograph
import OdographCivilTime
import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The metrics")
struct MetricsTests {
    /// Reads a file by the parsers of prometheus_client for OpenMetrics and for the format of node_exporter, and prints
    /// its samples.
    private static let reader = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
        from prometheus_client.parser import text_string_to_metric_families as prometheus
        text = open(sys.argv[1]).read()
        found = {(s.name, tuple(sorted(s.labels.items()))): s.value for f in open_metrics(text) for s in f.samples}
        other = {(s.name, tuple(sorted(s.labels.items()))): s.value for f in prometheus(text) for s in f.samples}
        assert found == other, set(found.items()) ^ set(other.items())
        for (name, labels), value in sorted(found.items()):
            print(name + ''.join(' %s=%s' % label for label in labels), value)
        """

    /// Returns the samples of a file: the name and labels, and the value.
    static func samples(_ path: String) async throws -> [String: Double] {
        let (ending, output, errors) = try await ChildProcess.run("/usr/bin/python3", ["-c", reader, path])
        guard ending == .exited(0) else { throw HarnessError("\(errors)\n\(try FileContents.text(path))") }
        var samples: [String: Double] = [:]
        for line in output.split(separator: "\n") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        return samples
    }

    @Test("The file of a running recorder is valid, and says what it stores, rejects and sends")
    func running() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("recorder.prom")
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port) { configuration in
            configuration.metrics = MetricsSettings(path: path, seconds: 0.1)
            configuration.rules = [NotificationTests.depot(.command(["/bin/true"]))]
        }
        try await service.start()
        let now = Timestamp.now
        func location(_ seq: Int64, age: Double) throws -> String {
            let date = now.advanced(bySeconds: -age).iso8601
            return String(decoding: try Payloads.location(seq, date: date), as: UTF8.self)
        }
        try await desk.publish(try location(1, age: 0), to: van + "location")
        try await desk.flood(
            try (3...42).map { try location($0, age: 7200) }, to: van + "location/backlog", isRetained: false)
        for index in 1...12 {
            try await desk.publish(
                try location(1, age: Double(index * 100)), to: "fleet/acme/v\(index)/location", isRetained: false)
        }
        try await desk.publish("no JSON", to: van + "location", isRetained: false)
        try await desk.publish(try NotificationTests.enter(43), to: van + "geofence")
        let samples = try await eventually { () -> [String: Double]? in
            guard access(path, R_OK) == 0 else { return nil }
            let samples = try await Self.samples(path)
            let isDelivered =
                samples["odograph_recorder_notifications_total result=delivered rule=depot"] == 1
                && samples["odograph_recorder_records_total kind=geofence"] == 1
            return isDelivered ? samples : nil
        }
        let found = try #require(samples, "\(service.log.lines)")
        let prefix = "odograph_recorder_"
        for (name, value) in [
            ("active", 1.0), ("connected", 1), ("records_total kind=location", 53), ("rejected_messages_total", 1),
            ("messages_total", 55), ("open_gaps", 1), ("open_numbers", 1), ("database_errors_total", 0),
            ("lag_seconds_count lane=backlog", 40), ("lag_seconds_bucket lane=backlog le=3600.0", 0),
            ("lag_seconds_bucket lane=backlog le=86400.0", 40), ("lag_seconds_count lane=live", 14),
            ("lag_seconds_bucket lane=live le=+Inf", 14), ("stored_records", 54), ("vehicles state=other", 13),
            ("waiting_notifications rule=depot", 0),
        ] {
            #expect(found[prefix + name] == value, "\(name): \(found[prefix + name] ?? .nan)")
        }
        // Of 13 vehicles, the ten with the greatest lag.
        let lags = found.filter { $0.key.hasPrefix(prefix + "vehicle_lag_seconds") }
        #expect(lags.count == 10)
        #expect(lags.keys.contains(prefix + "vehicle_lag_seconds device=v12 fleet=acme"))
        #expect(!lags.keys.contains(prefix + "vehicle_lag_seconds device=v1 fleet=acme"))
        #expect((found[prefix + "commit_delay_seconds_count"] ?? 0) >= 1)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o644)
        try await service.stop()
        // A stopped recorder is not active, and leaves no other file.
        let last = try await Self.samples(path)
        #expect(last[prefix + "active"] == 0 && last[prefix + "connected"] == 0)
        #expect(FileReader.entryNames(in: folder.path) == ["recorder.prom"])
    }

    @Test("Errors of the database and receipts are counted")
    func errors() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("recorder.prom")
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port, keys: "receipt_interval: 1") {
            $0.metrics = MetricsSettings(path: path, seconds: 0.1)
        }
        try await service.start()
        try await desk.publish(
            String(decoding: try Payloads.reported([], receipts: []), as: UTF8.self), to: van + "reported")
        let counted = try await eventually { () -> Bool? in
            guard access(path, R_OK) == 0 else { return nil }
            return (try await Self.samples(path)["odograph_recorder_receipts_total"] ?? 0) >= 1 ? true : nil
        }
        #expect(counted == true, "\(service.log.lines)")
        let lock = try Connection<HarnessError>(path: service.file.path)
        try lock.execute("BEGIN EXCLUSIVE")
        try await desk.publish(String(decoding: try Payloads.location(1), as: UTF8.self), to: van + "location")
        let failed = try await eventually { () -> Bool? in
            let samples = try await Self.samples(path)
            return (samples["odograph_recorder_database_errors_total"] ?? 0) >= 1
                && samples["odograph_recorder_connected"] == 0 ? true : nil
        }
        #expect(failed == true, "\(service.log.lines)")
        try lock.execute("ROLLBACK")
        try await service.waitForRecords(1)
        try await service.stop()
    }

    @Test("A file that cannot be written is reported once, and the end of that too")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("missing/recorder.prom")
        let broker = try await MosquittoBroker()
        let service = try RecorderService(broker: broker.port) {
            $0.metrics = MetricsSettings(path: path, seconds: 0.05)
        }
        try await service.start()
        let isLogged = try await eventually {
            service.log.lines.contains { $0.contains("cannot write the metrics") } ? true : nil
        }
        #expect(isLogged == true)
        mkdir(folder.file("missing"), 0o755)
        let isMended = try await eventually {
            service.log.lines.contains { $0.contains("can be written again") } ? true : nil
        }
        #expect(isMended == true)
        try await service.stop()
        #expect(service.log.lines.count { $0.contains("cannot write the metrics") } == 1)
    }

    @Test("Names of vehicles and rules are escaped, and the number of samples is bounded")
    func text() async throws {
        let folder = try TemporaryFolder()
        let counters = RecorderCounters()
        let positions = try (0..<5000).map { index in
            StoredBatch.Position(
                vehicle: try DeviceAddress(fleet: "acme", device: "v\(index)"), isBacklog: false,
                lagSeconds: Double(index))
        }
        let entry = BatchEntry(
            .rejected(topic: "", payload: [], bytes: 0, reason: RejectionReason("")), received: .now)
        counters.count(StoredBatch(positions: positions), of: [entry])
        var text = OpenMetricsText()
        text.gauge("a", "with \"quotes\",\nlines and \\", [([("l", "\"\n\\")], 1.5), ([("l", "b")], -0.25)])
        let strange = try folder.write(text.text, to: "strange.prom")
        #expect(try await Self.samples(strange).count == 2)
        let metrics = RecorderMetrics(counters: counters.current(), status: nil, date: .now)
        let path = try folder.write(metrics.text, to: "many.prom")
        let samples = try await Self.samples(path)
        #expect(samples.count < 100)
        #expect(samples["odograph_recorder_vehicle_lag_seconds device=v4999 fleet=acme"] == 4999)
    }
}
