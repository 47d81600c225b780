import Glibc
import Odograph
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

/// The recorder's program with rules and the relay, killed with SIGKILL.
@Suite("Notifications and the relay survive kills")
struct RecorderNotificationTests {
    /// Returns the payload of an ENTER now.
    private func enter(_ seq: Int64, of device: String = "van-7") throws -> String {
        let time = Timestamp.now
        var event = LocationEvent(
            uuid: "u\(seq)", epoch: 7, seq: seq, timestamp: time, age: 5, event: .geofence, isMoving: true, odometer: 1,
            odometerError: 1,
            coords: LocationCoordinates(latitude: 40, longitude: -3, accuracy: 4, speed: -1, heading: -1),
            activity: ActivityReading(type: .inVehicle, confidence: 90))
        event.geofence = GeofenceTrigger(identifier: "depot", action: .enter, occurredAt: time, confirmedAt: time)
        return String(
            decoding: try JSONCoder.bytes(of: LocationMessage(deviceID: device, location: event)), as: UTF8.self)
    }

    private struct Numbered: Decodable {
        var id: String
        var seq: Int64
    }

    @Test("Each stored event is notified and relayed at least once, whenever the recorder is killed")
    func kills() async throws {
        let rounds = 12
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        // Slow answers: a kill finds requests on their way.
        let slow: @Sendable (StubWebService.Request) -> StubWebService.Answer = { _ in
            usleep(20_000)
            return StubWebService.Answer(200)
        }
        let (web, traccar) = (try StubWebService(slow), try StubWebService(slow))
        let recorder = try await RecorderProcess(
            port: broker.port,
            keys: """
                traccar: { url: "http://127.0.0.1:\(traccar.port)" },
                rules: [{ name: "depot", when: "geofence", webhook: "http://127.0.0.1:\(web.port)/hook" }]
                """)
        for round in 0..<rounds {
            // A vehicle has at most 100 notifications at once, and a slow recorder stores several rounds together.
            let device = "van-\(round)"
            let lines = try (1...20).map { try enter(Int64(round * 20 + $0), of: device) }
            try await desk.flood(lines, to: "fleet/acme/\(device)/geofence/backlog", isRetained: false)
            try await Task.sleep(for: .milliseconds(round * 37))
            try await recorder.kill()
            try await recorder.start()
        }
        let stored = Set(try recorder.file.rows("SELECT seq FROM records").compactMap { Int64($0[0]) })
        #expect(stored.count > rounds * 5)
        func numbers(_ service: StubWebService) -> Set<Int64> {
            Set(service.requests.compactMap { $0.body.firstMatch(of: #/"seq":(\d+)/#).flatMap { Int64($0.1) } })
        }
        let isComplete = try await eventually {
            let stored = Set(try recorder.file.rows("SELECT seq FROM records").compactMap { Int64($0[0]) })
            return numbers(web) == stored && numbers(traccar) == stored ? true : nil
        }
        #expect(isComplete == true, "\(stored.count) \(numbers(web).count) \(numbers(traccar).count)")
        // Repeated ones have the same identity.
        let found = try web.requests.map { try JSONCoder.decode(Numbered.self, from: Array($0.body.utf8)) }
        #expect(Set(found.map(\.id)).count == Set(found.map(\.seq)).count)
        #expect(try await recorder.stop() == .exited(0))
        print("\(stored.count) events, \(web.requests.count) notifications, \(traccar.requests.count) relayed records")
    }

    @Test("A command that runs ends with the recorder: after a kill, and after a stop", arguments: [SIGKILL, SIGTERM])
    func commandEnds(signal: Int32) async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let script = try folder.write(
            "#!/bin/sh\necho $$ > \(folder.file("tmp"))\nmv \(folder.file("tmp")) \(folder.file("child"))\nexec sleep 1000\n",
            to: "run.sh", mode: 0o755)
        let recorder = try await RecorderProcess(
            port: broker.port, keys: "rules: [{ name: \"depot\", when: \"geofence\", command: [\"\(script)\"] }]")
        try await BrokerOperator(port: broker.port).publish(try enter(1), to: "fleet/acme/van-7/geofence")
        let child = try #require(
            try await eventually { (try? folder.read("child")).flatMap { pid_t($0.filter(\.isNumber)) } })
        #expect(Glibc.kill(child, 0) == 0)
        recorder.child.send(signal)
        try await recorder.child.wait()
        let hasEnded = try await eventually {
            // Nobody may collect it in a container without an init.
            Glibc.kill(child, 0) != 0 || (try? FileContents.text("/proc/\(child)/stat"))?.contains(") Z ") ?? true
                ? true : nil
        }
        #expect(hasEnded == true)
    }

    @Test("The option --metrics-file writes the metrics, also without a key in the configuration")
    func metricsFile() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let configuration = try folder.write(
            """
            { fleets: ["acme"], database: { path: "recorder.db" },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)" } }
            """, to: "recorder.json5")
        let child = try ChildProcess(
            RecorderProcess.executable,
            ["run", "--config", configuration, "--metrics-file", folder.file("recorder.prom")])
        let isActive = try await eventually { () -> Bool? in
            if let ending = child.poll() { throw HarnessError("\(ending) \(child.errors)") }
            let text = (try? folder.read("recorder.prom")) ?? ""
            return text.contains("\nodograph_recorder_active ") && text.hasSuffix("# EOF\n") ? true : nil
        }
        #expect(isActive == true)
        child.send(SIGTERM)
        #expect(try await child.wait() == .exited(0))
        #expect(try folder.read("recorder.prom").contains("\nodograph_recorder_active 0\n"))
    }
}
