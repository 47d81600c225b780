import Glibc
import OdographHarness
import OdographSQLite
import Testing

/// Checks the answers of the real program under load and after failures.
@Suite("Long answers about the past")
struct HistoryLoadTests {
    private static let interval = #""from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z""#

    /// A recorder whose database has positions of a vehicle, and a client that reads answers.
    private struct Scene {
        let broker: MosquittoBroker
        let recorder: RecorderProcess
        let listener: ChildProcess

        /// - Parameter rows: The number of positions.
        init(rows: Int) async throws {
            broker = try await MosquittoBroker()
            recorder = try await RecorderProcess(
                port: broker.port, keys: "history: { answer: true, rows: 1000000, requests_per_minute: 6000 }")
            let file = try Connection<HarnessError>(path: recorder.file.path)
            file.setBusyTimeout(milliseconds: 10_000)
            try file.execute(
                """
                INSERT INTO vehicles (id, fleet, device, first_seen, last_seen)
                VALUES (1, 'acme', 'van-7', '2026-11-02T00:00:00.000Z', '2026-11-02T00:00:00.000Z');
                WITH RECURSIVE number (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM number WHERE seq < \(rows))
                INSERT INTO records (vehicle, epoch, seq, kind, time, clock_untrusted, latitude, longitude, speed, mock,
                    received, payload)
                SELECT 1, 7, seq, 'location', strftime('%Y-%m-%dT%H:%M:%S.000Z', 1793577600 + seq, 'unixepoch'), 0,
                    40.0 + seq * 1e-6, -3.7, 12.5, 0, '2026-11-02T00:00:00.000Z', '{}' FROM number;
                """)
            listener = try ChildProcess(
                "stdbuf",
                [
                    "-oL", "mosquitto_sub", "-p", "\(broker.port)", "-V", "5", "-q", "1", "-t",
                    "fleet/history:acme/ann/answer/+",
                    "-F", "%t %p",
                ])
        }

        /// Publishes a request; again until the recorder and the listener are subscribed.
        func ask(_ id: String, _ keys: String) async throws {
            try await BrokerOperator(port: broker.port).publish(
                #"{"kind":"track","device":"van-7",\#(HistoryLoadTests.interval)\#(keys)}"#,
                to: "fleet/history:acme/ann/request/\(id)", isRetained: false)
        }

        /// The parts of an answer so far.
        func parts(_ id: String) -> [Substring] {
            listener.output.split(separator: "\n").filter { $0.hasPrefix("fleet/history:acme/ann/answer/\(id) ") }
        }

        /// Waits for the last part of an answer.
        func waitForEnd(_ id: String) async throws -> [Substring] {
            let parts = try await eventually { () -> [Substring]? in
                let parts = self.parts(id)
                return parts.contains { $0.contains("\"is_last\":true") && $0.hasSuffix("}") } ? parts : nil
            }
            guard let parts else { throw HarnessError("no end of \(id): \(recorder.child.errors)") }
            return parts
        }

        /// Repeats a small request until it is answered.
        func waitUntilAnswering(_ id: String) async throws {
            let isAnswering = try await eventually { () -> Bool? in
                try await ask(id, #","limit":1"#)
                return parts(id).isEmpty ? nil : true
            }
            guard isAnswering != nil else { throw HarnessError("no answer: \(recorder.child.errors)") }
        }

        /// The largest resident memory of the recorder so far, kB.
        func peakKilobytes() throws -> Int {
            let text = try FileContents.text("/proc/\(recorder.child.identifier)/status")
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        }
    }

    @Test("The memory of the recorder does not grow with the length of an answer")
    func memory() async throws {
        let scene = try await Scene(rows: 60_000)
        try await scene.waitUntilAnswering("first")
        try await scene.ask("small", #","limit":6000"#)
        #expect(try await scene.waitForEnd("small").count > 3)
        let before = try scene.peakKilobytes()
        try await scene.ask("large", "")
        let parts = try await scene.waitForEnd("large")
        let bytes = parts.reduce(0) { $0 + $1.utf8.count }
        let after = try scene.peakKilobytes()
        #expect(parts.count > 40 && bytes > 6_000_000, "\(parts.count) parts, \(bytes) bytes")
        #expect(before > 0 && after - before < 4096, "\(before) kB, \(after) kB after \(bytes) bytes")
        print("history: an answer of \(bytes) bytes took \(after - before) kB of memory more than one of 6000 rows")
        #expect(try await scene.recorder.stop() == .exited(0))
    }

    @Test("If the broker is killed during an answer, the log says so, and the recorder answers the next request")
    func killedBroker() async throws {
        let scene = try await Scene(rows: 400_000)
        try await scene.waitUntilAnswering("first")
        try await scene.ask("cut", "")
        #expect(try await eventually { scene.parts("cut").isEmpty ? nil : true } != nil)
        try await scene.broker.stop(SIGKILL)
        let outcome = try await eventually { () -> String? in
            let row = try scene.recorder.file.rows("SELECT outcome FROM requests WHERE request = 'cut'").first?.first
            return row == "begun" ? nil : row
        }
        #expect(outcome == "interrupted", "\(scene.recorder.child.errors)")
        try await scene.broker.start()
        try await scene.waitUntilAnswering("next")
        try await scene.ask("whole", #","limit":20000"#)
        _ = try await scene.waitForEnd("whole")
        let isLogged = try await eventually {
            try scene.recorder.file.rows("SELECT outcome, row_count FROM requests WHERE request = 'whole'")
                == [["answered", "20000"]] ? true : nil
        }
        #expect(isLogged != nil, "\(scene.recorder.child.errors)")
        #expect(try await scene.recorder.stop() == .exited(0))
    }
}
