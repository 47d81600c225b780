import OdographCivilTime
import Glibc
import OdographHarness
import OdographJSON
import OdographModel
import OdographPositioning
import Testing
import OdographTracking
import OdographWire

@Suite("Private time")
struct PrivateTimeTests {
    /// A configuration in which minutes 2 to 5 of the drive are private.
    private static let tracking = """
        { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 }, schedule: "0-1,6-59 * * * *",
          time_zone: "UTC", off_schedule: { mode: "private" } }
        """

    @Test("No private coordinate leaves the vehicle or reaches its disk, and the odometer continues")
    func proof() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let desk = BrokerOperator(port: broker.port)
        let folder = try TemporaryFolder()
        // The first capture ends in private time, so that the commands run in it.
        try folder.write(Capture.drive(seconds: 240), to: "drive.jsonl")
        let configuration = AgentProcess.configuration(
            broker: broker.port, source: "{ replay: { file: \"drive.jsonl\", speed: 20 } }", tracking: Self.tracking,
            extra: ", log: { level: \"trace\" }")
        try await desk.publish(Self.fences, to: "fleet/acme/van-7/geofences")
        let agent = try AgentProcess(folder: folder, configuration: configuration)
        let closed = try await eventually { try subscriber.reports().last { !$0.withinSchedule } }
        #expect(closed?.tracking.offSchedule == .private, "\(agent.child.errors)")
        #expect(closed?.tracking.isMoving == nil)
        let command = "fleet/acme/van-7/command"
        let position = try await desk.ask("{\"id\": \"p\", \"action\": \"get_current_position\"}", of: command)
        #expect(position.error?.contains("private") == true)
        let status = try await desk.ask("{\"id\": \"s\", \"action\": \"get_status\"}", of: command)
        #expect(status.isSuccess && status.members["location"] == nil && status.members["is_moving"] == nil)
        let fences = try await desk.ask("{\"id\": \"g\", \"action\": \"get_geofences\"}", of: command)
        #expect(fences.isSuccess && fences.members["inside"] == .array([]), "\(fences)")
        // The search covers the disk in the middle of private time and every published message.
        try await agent.kill()
        try folder.write(Capture.drive(seconds: 480), to: "drive.jsonl")
        #expect(try traces(in: folder, agent, subscriber) == [])
        // Input journals contain no private positions. They contain earlier ones, which shows that the search works.
        let journals = try await journals(of: folder.file("drive.jsonl"))
        let files = try ["agent.db", "agent.db-wal"].filter { access(folder.file($0), R_OK) == 0 }.map {
            try FileContents.bytes(folder.file($0))
        }
        #expect(journals.hidden.count > 200)
        #expect(journals.hidden.filter { input in files.contains { has($0, input) } }.isEmpty)
        #expect(journals.open.contains { input in files.contains { has($0, input) } })
        let second = try AgentProcess(folder: folder, configuration: configuration)
        let end = try await eventually { second.child.errors.contains("has ended") ? true : nil }
        #expect(end != nil, "\(second.child.errors)")
        _ = try await second.stop()
        #expect(try traces(in: folder, second, subscriber) == [])
        let last = try await eventually { try subscriber.locations().map(\.event).max { $0.timestamp < $1.timestamp } }
        // 480 s at 12 m/s, except the distance between the last save and the kill.
        #expect((470 * 12...480 * 12).contains(Int(last?.odometer ?? 0)), "\(last?.odometer ?? 0)")
        let told = subscriber.messages.filter {
            $0.topic.hasPrefix("fleet/acme/van-7/geofence/") || $0.topic.hasSuffix("/geofence")
        }
        #expect(told.contains { $0.payload.contains("open-depot") })
    }

    /// A geofence at the beginning of the drive, and one that is entered and left only in the private minutes.
    private static let fences = """
        {"type": "FeatureCollection", "features": [
          {"type": "Feature", "id": "open-depot", "properties": {"radius": 100},
           "geometry": {"type": "Point", "coordinates": [-2.993, 40.0]}},
          {"type": "Feature", "id": "hidden-depot", "properties": {"radius": 150, "significance": "HOME"},
           "geometry": {"type": "Point", "coordinates": [-2.984, 40.0065]}}]}
        """

    /// Returns the private positions that are found anywhere, as text or as the bytes of their numbers.
    private func traces(
        in folder: TemporaryFolder, _ agent: AgentProcess, _ subscriber: Subscriber
    ) throws -> [String] {
        var places: [(String, [UInt8])] = [("log", Array(agent.child.errors.utf8))]
        places.append(("broker", Array(subscriber.messages.map(\.payload).joined(separator: "\n").utf8)))
        for name in ["agent.db", "agent.db-wal"] where access(folder.file(name), R_OK) == 0 {
            places.append((name, try FileContents.bytes(folder.file(name))))
        }
        var found: [String] = []
        // The geofences themselves are not secret: their file and their topic contain them.
        let said = subscriber.messages.filter { !$0.topic.hasSuffix("/geofences") && !$0.topic.hasSuffix("/response") }
        places.append(("broker, identities", Array(said.map(\.payload).joined(separator: "\n").utf8)))
        for (name, bytes) in places where name != "broker" && has(bytes, Array("hidden-depot".utf8)) {
            found.append("\(name): hidden-depot")
        }
        for position in try privatePositions() {
            for (name, bytes) in places where has(bytes, position.text) || has(bytes, position.number) {
                found.append("\(name): \(String(decoding: position.text, as: UTF8.self))")
            }
        }
        return found
    }

    /// Returns the drive's positions in the form of the input journal: those in private time, and those before it.
    private func journals(of path: String) async throws -> (hidden: [[UInt8]], open: [[UInt8]]) {
        let (from, to) = try Self.bounds()
        var settings = ReplaySettings(path: path)
        settings.speedFactor = nil
        var (hidden, open): ([[UInt8]], [[UInt8]]) = ([], [])
        for try await event in ReplaySource(settings, clock: SystemAgentClock()).events() {
            guard case .fix(let fix) = event.content else { continue }
            var journal = InputJournal()
            // A tracker without a schedule withholds nothing.
            guard let input = Tracker().disclose(.fix(fix)), journal.append(input) else { continue }
            if fix.timestamp < from { open.append(journal.bytes) }
            if fix.timestamp > from, fix.timestamp < to { hidden.append(journal.bytes) }
        }
        return (hidden, open)
    }

    private static func bounds() throws -> (from: Timestamp, to: Timestamp) {
        (
            try #require(Timestamp(iso8601: "2026-11-20T08:02:00Z")),
            try #require(Timestamp(iso8601: "2026-11-20T08:05:59Z"))
        )
    }

    private func privatePositions() throws -> [(text: [UInt8], number: [UInt8])] {
        let (from, to) = try Self.bounds()
        return Capture.drive(seconds: 480).split(separator: "\n").compactMap { line in
            guard let time = line.firstMatch(of: #/"time":"([^"]+)"/#).flatMap({ Timestamp(iso8601: String($0.1)) }),
                time > from, time < to,
                let longitude = line.firstMatch(of: #/"lon":([-0-9.]+)/#)?.1,
                let latitude = line.firstMatch(of: #/"lat":([-0-9.]+)/#)?.1
            else { return nil }
            // The last private position is excluded, because its value on this axis is also that of the first public
            // ones. The other axis of a position does not change in its minute and was published before.
            let isNorthbound = line.contains("\"track\":0.0")
            let text = isNorthbound ? latitude : longitude
            guard let value = Double(text) else { return nil }
            return (Array(text.prefix(9).utf8), withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) })
        }
    }

    private func has(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        return bytes.withUnsafeBytes { whole in
            var offset = 0
            while offset + part.count <= whole.count, let base = whole.baseAddress,
                let hit = memchr(base + offset, Int32(first), whole.count - part.count - offset + 1)
            {
                if memcmp(hit, part, part.count) == 0 { return true }
                offset = hit - UnsafeMutableRawPointer(mutating: base) + 1
            }
            return false
        }
    }
}
