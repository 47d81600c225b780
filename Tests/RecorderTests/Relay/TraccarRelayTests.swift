import Odograph
import OdographCivilTime
import OdographHTTP
import OdographHarness
import OdographJSON
import OdographOperator
import OdographPositioning
import OdographSQLite
import OdographTracking
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The relay to Traccar")
struct TraccarRelayTests {
    private func relay(_ port: UInt16, _ identifier: RelaySettings.Identifier = .device) throws -> RelaySettings {
        RelaySettings(WebService(try #require(HTTPAddress("http://127.0.0.1:\(port)/"))), identifier: identifier)
    }

    /// Waits until the place of the relay, which is stored after the answers, contains these numbers of accepted and
    /// refused records.
    private func wait(for counts: [String], _ service: RecorderService) async throws {
        let isStored = try await eventually {
            try service.file.rows("SELECT relayed, refused FROM relays") == [counts] ? true : nil
        }
        #expect(isStored == true, "\(service.log.lines)")
    }

    private func position(_ seq: Int64) throws -> String { String(decoding: try Payloads.location(seq), as: UTF8.self) }

    @Test("Each position that is stored reaches Traccar once, also of a backlog, and nothing else does")
    func records() async throws {
        let traccar = try TraccarDouble()
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let settings = try relay(traccar.service.port, .fleetDevice)
        let service = try RecorderService(broker: broker.port) { $0.relay = settings }
        try await service.start()
        try await desk.publish(try position(1), to: van + "location")
        let lines = try (2...900).map { try position($0) }
        try await desk.flood(lines + lines, to: van + "location/backlog", isRetained: false)
        try await desk.publish(
            String(decoding: try Payloads.timeline(901, event: "e", revision: 1), as: UTF8.self), to: van + "timeline")
        try await desk.publish(
            String(decoding: try Payloads.location(902, isGeofence: true), as: UTF8.self), to: van + "geofence")
        try await wait(for: ["901", "0"], service)
        try await service.stop()
        #expect(traccar.positions.count == 901 && traccar.bodies.count == 901)
        #expect(Set(traccar.positions.map(\.timestamp)).count == 901)
        #expect(traccar.positions.allSatisfy { $0.device == "acme-van-7" && $0.altitude == 0 })
        #expect(try service.file.rows("SELECT relayed, refused FROM relays") == [["901", "0"]])
        #expect(
            try RecorderStatus(of: .file(path: service.file.path)).relay
                == RelayCounts(relayed: 901, refused: 0, waiting: 0))
    }

    @Test("While Traccar is away nothing is lost, and the recorder goes on; a refused record does not stop the rest")
    func deadServer() async throws {
        let port = try FreePort.next()
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let settings = try relay(port)
        let service = try RecorderService(broker: broker.port) { $0.relay = settings }
        try await service.start()
        try await desk.flood(try (1...50).map { try position($0) }, to: van + "location/backlog", isRetained: false)
        try await desk.flood(
            try (1...50).map { try position($0) }, to: "fleet/acme/stranger/location/backlog", isRetained: false)
        try await service.waitForRecords(100)
        let isLogged = try await eventually {
            service.log.lines.contains { $0.contains("the relay waits") } ? true : nil
        }
        #expect(isLogged == true)
        // The recorder stops and starts without Traccar.
        try await service.stop()
        #expect(try service.file.rows("SELECT record, relayed FROM relays") == [["0", "0"]])
        try await service.start()
        let traccar = try TraccarDouble(port: port, devices: ["van-7"])
        try await wait(for: ["50", "50"], service)
        try await service.stop()
        #expect(traccar.positions.count == 50)
        #expect(try service.file.rows("SELECT relayed, refused FROM relays") == [["50", "50"]])
        #expect(service.log.lines.count { $0.contains("refuses records of stranger") } == 1)
        #expect(service.log.lines.count { $0.contains("the relay waits") } <= 2)
    }

    @Test("The place is right after the newest records were removed, and their keys belong to others")
    func removedRecords() throws {
        let archive = try Archive()
        try archive.store([(van + "location", try Payloads.location(1))])
        try archive.database.beginRelay()
        try archive.store(try (2...4).map { (van + "location", try Payloads.location($0)) })
        // What was stored before the relay began is not relayed.
        let page = try archive.database.relayPage()
        #expect(page.records.map(\.key) == [2, 3, 4])
        // An erasure removes 3 and 4 while they are sent, and two new records get their keys.
        try Connection<HarnessError>(path: archive.file.path).execute("DELETE FROM records WHERE id > 2")
        try archive.store(try (5...6).map { (van + "location", try Payloads.location($0)) })
        try archive.database.moveRelay(to: 4, in: page, relayed: 3, refused: 0)
        let next = try archive.database.relayPage()
        #expect(
            next.records.count == 3
                && next.records.suffix(2).allSatisfy {
                    $0.payload.contains("\"seq\":5") || $0.payload.contains("\"seq\":6")
                })
        try archive.database.moveRelay(to: 4, in: next, relayed: 3, refused: 0)
        #expect(try archive.database.relayPage().records.isEmpty)
        // The same after the relay has done all.
        try Connection<HarnessError>(path: archive.file.path).execute("DELETE FROM records")
        try archive.store([(van + "location", try Payloads.location(7))])
        #expect(try archive.database.relayPage().records.count == 1)
    }

    @Test("PostgreSQL gives the same pages")
    func server() async throws {
        let archive = try await ServerArchive()
        try archive.database?.beginRelay()
        #expect(try archive.database?.relayPage().end == nil)
        try archive.store(try (1...1200).map { (van + "location", try Payloads.location($0)) })
        var keys: [Int64] = []
        while let page = try archive.database?.relayPage(), let end = page.end {
            keys += page.records.map(\.key)
            try archive.database?.moveRelay(to: end, in: page, relayed: page.records.count, refused: 0)
        }
        #expect(keys == Array(1...1200))
        #expect(
            try RecorderStatus(of: .server(archive.address)).relay == RelayCounts(relayed: 1200, refused: 0, waiting: 0)
        )
        try archive.reopen()
        try archive.database?.beginRelay()
        #expect(try archive.database?.relayPage().end == nil)
        try archive.store([(van + "location", try Payloads.location(1201))])
        #expect(try archive.database?.relayPage().records.map(\.key) == [1201])
    }

    @Test("A body has what Traccar requires, names the vehicle of the topic, and never invents a position")
    func body() throws {
        func body(_ location: String) -> String? {
            TraccarMessage.body(of: "{\"device_id\":\"other\",\"location\":\(location)}", identifier: "van-7")
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let time = "\"timestamp\":\"2026-11-21T09:15:02.000Z\""
        let flat = try #require(body("{\(time),\"coords\":{\"latitude\":1.5,\"longitude\":2,\"altitude\":null}}"))
        #expect(try TraccarDouble.decode(flat).device == "van-7")
        #expect(flat.contains(#""accuracy":-1,"altitude":0,"heading":-1,"latitude":1.5,"longitude":2,"speed":-1"#))
        let battery = try #require(
            body("{\(time),\"battery\":{\"level\":0.5},\"coords\":{\"latitude\":1,\"longitude\":2,\"altitude\":7.5}}"))
        #expect(try TraccarDouble.decode(battery).altitude == 7.5 && !battery.contains("battery"))
        for location in ["{\(time)}", "{\(time),\"coords\":{}}", "{\(time),\"coords\":{\"latitude\":1}}", "[]"] {
            #expect(body(location) == nil, "\(location)")
        }
        // The double is strict: what an agent publishes without an altitude is refused.
        let published = String(decoding: try Payloads.location(1), as: UTF8.self)
        #expect(throws: TraccarDouble.Violation(description: "altitude")) { try TraccarDouble.decode(published) }
    }

    @Test("Traccar accepts each record of a simulated day", arguments: [UInt64(1), 2, 3])
    func simulatedDay(seed: UInt64) throws {
        let lines = VehicleDay(seed: seed, everySeconds: 1).fixes.map { fix in
            // A 2D fix has no altitude.
            let place = fix.coordinate
            return "{\"class\":\"TPV\",\"mode\":2,\"time\":\"\(fix.timestamp.iso8601)\","
                + "\"lat\":\(place.latitudeDegrees),\"lon\":\(place.longitudeDegrees)}\n"
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(lines.joined(), to: "day.json")
        #expect(try relayed(path) > 100)
    }

    @Test("Traccar accepts each record of the recorded drives", .enabled(if: Corpora.exist))
    func corpora() throws {
        let drives = try #require(Corpora.folder)
        var (count, files) = (0, 0)
        for folder in ["drives", "drives/goal", "drives/cases", "gpsd", "gpx"] {
            for name in FileReader.entryNames(in: "\(drives)/\(folder)").sorted() {
                guard [".jsonl", ".chk", ".gpx"].contains(where: name.hasSuffix) else { continue }
                // Some files are damaged on purpose, and have no fix.
                guard let found = try? relayed("\(drives)/\(folder)/\(name)", isDense: true) else { continue }
                count += found
                count += try relayed("\(drives)/\(folder)/\(name)")
                files += 1
            }
        }
        print("\(count) records of \(files) files, all accepted")
        #expect(files >= 150 && count > 10_000, "\(count) records of \(files) files")
    }

    /// Runs the agent's tracker over a capture, and passes each record as the relay does to Traccar's decoder.
    /// - Parameter isDense: Whether to make as many records as possible.
    /// - Returns: The number of records.
    private func relayed(_ path: String, isDense: Bool = false) throws -> Int {
        var settings = AnalysisSettings()
        if isDense {
            settings.tracking.core.sampling.minimumIntervalSeconds = 0
            settings.tracking.core.sampling.distanceMeters = 1
        }
        var analyzer = try Analyzer(capture: ReplaySettings(path: path), settings: settings)
        var count = 0
        while let record = try analyzer.next() {
            guard let location = record.message.location else { continue }
            let payload = try JSONCoder.bytes(of: LocationMessage(deviceID: "van-7", location: location))
            let text = String(decoding: payload, as: UTF8.self)
            let body = try #require(TraccarMessage.body(of: text, identifier: "van-7"))
            let decoded = String(decoding: body, as: UTF8.self)
            #expect(throws: Never.self, "\(path): \(decoded)") { try TraccarDouble.decode(decoded) }
            count += 1
        }
        return count
    }
}
