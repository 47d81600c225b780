import OdographCivilTime
import OdographHarness
import Odograph
import OdographJSON
import OdographModel
import OdographOperator
import OdographPositioning
import Testing
import OdographWire

@Suite("Leak search")
struct LeakTests {
    private static let device = "fleet/acme/van-7"
    private static let tracking = """
        { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 }, heartbeat_interval: 3,
          timeline: { update_interval: 1, gap: 30 }, provider_change_delay: 1 }
        """
    private static let home = """
        {"type": "FeatureCollection", "features": [{"type": "Feature", "id": "around", "properties": {"radius": 60000},
          "geometry": {"type": "Point", "coordinates": [122.0, 48.0]}}]}
        """

    /// Returns a document with a schedule whose only open hour is 12 h from now. The wrong dates of the test are in it.
    private static func hidden() -> String {
        let hour = (SystemAgentClock().now().systemTime.secondsSinceEpoch / 3600 + 12) % 24
        return """
            { tracking: { schedule: '* \(hour) * * *', time_zone: 'UTC', schedule_before_time: 'open',
              off_schedule: { mode: 'private' } } }
            """
    }

    /// How private time begins and ends.
    enum Beginning: String, CaseIterable, Sendable {
        /// By a document with a schedule.
        case schedule
        /// By a program on the vehicle. The database is damaged in private time too.
        case button
    }

    private static func begin(_ beginning: Beginning, _ desk: BrokerOperator, _ folder: TemporaryFolder) async throws {
        switch beginning {
        case .schedule: try await desk.publish(hidden(), to: "\(device)/config")
        case .button: try await set(["tag", "lunch", "--private"], folder)
        }
    }

    private static func end(_ beginning: Beginning, _ desk: BrokerOperator, _ folder: TemporaryFolder) async throws {
        switch beginning {
        case .schedule: try await desk.publish("{}", to: "\(device)/config")
        case .button: try await set(["tag", "--none"], folder)
        }
    }

    private static func set(_ arguments: [String], _ folder: TemporaryFolder) async throws {
        let (ending, _, errors) = try await ChildProcess.run(
            AgentProcess.executable, ["set"] + arguments + ["--config", folder.file("agent.json5")])
        #expect(ending == .exited(0), "\(errors)")
    }

    @Test(
        "Drives, a stop, a kill, a restart, undated positions and wrong dates in private time leak no coordinate",
        arguments: Beginning.allCases
    )
    func search(beginning: Beginning) async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let folder = try TemporaryFolder()
        let receiver = try ScriptedReceiver()
        defer { receiver.stop() }
        try await desk.publish(Self.home, to: "\(Self.device)/geofences")
        let configuration = AgentProcess.configuration(
            broker: broker.port, source: "{ gpsd: { host: '127.0.0.1', port: \(receiver.port) } }",
            tracking: Self.tracking,
            extra: ", log: { level: 'trace' }")
        var told = Carriers()

        // Public positions must be found in each output, which shows that the search works.
        receiver.drive(from: LeakSearch.Place(latitude: 47.612_345_6, longitude: 121.512_345_6))
        let first = try AgentProcess(folder: folder, configuration: configuration)
        _ = try await eventually { try subscriber.locations().count > 20 ? true : nil }
        try await Self.askAll(desk, folder, into: &told, "open")
        // The response contains only records that the broker does not have yet, so it can be empty.
        _ = try await eventually {
            try await Self.askLocally(folder, into: &told, "open")
            let answer = try await desk.ask(
                "{\"id\": \"again-\(told.contents["open get_locations"]?.count ?? 0)\", \"action\": \"get_locations\"}",
                of: "\(Self.device)/command")
            told.add("open get_locations", "\(answer)")
            let found = told.finds(LeakSearch(receiver.reported))
            let wanted = ["open odograph locations", "open get_locations"]
            return wanted.allSatisfy { found[$0] != nil } ? true : nil
        }
        receiver.fallSilent()
        let open = LeakSearch(receiver.reported)
        try told.addFiles(of: folder)
        try await told.addDecoded(folder)
        for message in subscriber.messages { told.add("topic \(message.topic)", message.payload) }
        let control = told.finds(open)
        for carrier in [
            "topic \(Self.device)/location", "open get_status", "open get_current_position", "open get_locations",
            "open odograph locations", "snapshot", "journal, decoded",
        ] {
            #expect(
                control[carrier]?.contains { ["decimal text", "short decimal text"].contains($0.encoding) } == true,
                "\(carrier) \(control.keys.sorted())")
        }
        // Events contain waypoints that are not among the reported positions.
        let places = told.finds(RegionSearch(latitudes: 47.6...47.7, longitudes: 121.5...121.6))
        for carrier in ["topic \(Self.device)/location", "open get_locations", "snapshot", "file agent.db-wal"] {
            #expect(places[carrier] != nil, "\(carrier) \(places.keys.sorted())")
        }
        let files = control.filter { $0.key.hasPrefix("file agent.db") }.flatMap(\.value).map(\.encoding)
        #expect(Set(files).isSuperset(of: ["decimal text", "variable-length integer"]), "\(Set(files))")

        // Private time begins before the next position.
        try await Self.begin(beginning, desk, folder)
        let closed = try await eventually {
            try subscriber.reports().last { $0.tracking.offSchedule == .private }
        }
        #expect(closed != nil, "\(first.child.errors)")
        var carriers = Carriers()
        receiver.drive(from: LeakSearch.Place(latitude: 48.112_345_6, longitude: 122.112_345_6))
        try await Self.wait(for: 15, receiver)
        try await Self.askAll(desk, folder, into: &carriers, "private")
        for reports in [1, 2, 9] {
            receiver.date(.ahead(seconds: 43_200, reports: reports))
            try await Self.wait(for: reports + 12, receiver)
            try await Self.askLocally(folder, into: &carriers, "wrong dates")
        }
        receiver.date(.none)
        try await Self.wait(for: 10, receiver)
        receiver.park(true)
        receiver.date(.right)
        try await Self.wait(for: 20, receiver)
        try await first.kill()
        try carriers.addFiles(of: folder)
        try await carriers.addDecoded(folder)
        #expect(
            carriers.finds(LeakSearch(receiver.reported)).isEmpty, "\(carriers.finds(LeakSearch(receiver.reported)))")
        let home = RegionSearch(latitudes: 48.11...48.25, longitudes: 122.11...122.25)
        #expect(carriers.finds(home).isEmpty, "\(carriers.finds(home))")

        if beginning == .button { try folder.write(String(repeating: "broken ", count: 4096), to: "agent.db") }

        // The agent restarts without a known date, and then gets a wrong date first.
        receiver.park(false)
        receiver.date(.none)
        let second = try AgentProcess(folder: folder, configuration: configuration)
        _ = try await eventually { second.child.errors.contains("reports positions") ? true : nil }
        try await Self.wait(for: 30, receiver)
        try await Self.askAll(desk, folder, into: &carriers, "undated")
        receiver.date(.ahead(seconds: 43_200, reports: 8))
        try await Self.wait(for: 30, receiver)
        receiver.fallSilent()
        let hidden = LeakSearch(receiver.reported)
        try carriers.addFiles(of: folder)
        #expect(try await second.stop() == .exited(0))
        try carriers.addFiles(of: folder)
        try await carriers.addDecoded(folder)
        for arguments in Self.commands {
            let (_, output, errors) = try await ChildProcess.run(
                AgentProcess.executable, arguments + ["--config", folder.file("agent.json5")])
            carriers.add("stopped, odograph \(arguments[0])", output + errors)
        }
        receiver.drive(from: LeakSearch.Place(latitude: 48.212_345_6, longitude: 122.212_345_6))
        let (_, findings, errors) = try await ChildProcess.run(
            AgentProcess.executable, ["doctor", "--config", folder.file("agent.json5")])
        receiver.fallSilent()
        #expect(findings.contains("reports positions"), "\(findings)")
        #expect(LeakSearch(receiver.reported).finds(in: Array((findings + errors).utf8)) == [])
        carriers.add("stopped, odograph doctor", findings + errors)

        // Private time ends, and publishing begins again.
        let third = try AgentProcess(folder: folder, configuration: configuration)
        _ = try await eventually { third.child.errors.contains("odograph") ? true : nil }
        try await Self.end(beginning, desk, folder)
        let opened = try await eventually {
            try subscriber.reports().last.flatMap { $0.withinSchedule ? true : nil }
        }
        #expect(opened == true, "\(third.child.errors)")
        let count = try subscriber.locations().count
        receiver.drive(from: LeakSearch.Place(latitude: 48.512_345_6, longitude: 122.512_345_6))
        _ = try await eventually { try subscriber.locations().count > count + 10 ? true : nil }
        try await Self.askAll(desk, folder, into: &carriers, "open again")
        #expect(try await third.stop() == .exited(0))
        try carriers.addFiles(of: folder)
        try await carriers.addDecoded(folder)
        for agent in [first, second, third] { carriers.add("log", agent.child.errors + agent.child.output) }
        let late = try await Subscriber(port: broker.port)
        _ = try await eventually { late.messages.contains { $0.topic.hasSuffix("/status") } ? true : nil }
        for message in subscriber.messages + late.messages { carriers.add("topic \(message.topic)", message.payload) }
        #expect(carriers.contents.count > 40)
        #expect(carriers.finds(hidden).isEmpty, "\(carriers.finds(hidden))")
        #expect(carriers.finds(home).isEmpty, "\(carriers.finds(home))")
    }

    private static let commands = [["status"], ["locations"], ["timeline"], ["geofences", "list"], ["odometer"]]

    /// Sends every command through the broker and the local socket, and adds the answers under a name.
    private static func askAll(
        _ desk: BrokerOperator, _ folder: TemporaryFolder, into carriers: inout Carriers, _ name: String
    )
        async throws
    {
        let parameters = [
            "get_current_position": ", \"timeout\": 5, \"samples\": 1", "set_odometer": ", \"value\": 1000",
            "set_extras": ", \"value\": {}", "get_timeline_updates": ", \"after\": \"2026-01-01T00:00:00Z\"",
        ]
        for action in [
            "get_status", "get_current_position", "get_locations", "get_timeline", "get_timeline_updates",
            "get_odometer",
            "set_odometer", "set_extras", "get_configuration", "get_geofences", "flush",
        ] {
            // Stays below the agent's rate limit for commands.
            try await Task.sleep(for: .milliseconds(250))
            let id =
                "\(name)-\(action)-\(carriers.contents.count)-\(carriers.contents["\(name) \(action)"]?.count ?? 0)"
            let answer = try await desk.ask(
                "{\"id\": \"\(id)\", \"action\": \"\(action)\"\(parameters[action] ?? "")}", of: "\(device)/command")
            #expect(answer.error?.contains("unknown action") != true && answer.error?.contains("too many") != true)
            carriers.add("\(name) \(action)", "\(answer)")
        }
        try await askLocally(folder, into: &carriers, name)
    }

    /// Adds the answers of the local socket and of the shell commands.
    private static func askLocally(_ folder: TemporaryFolder, into carriers: inout Carriers, _ name: String)
        async throws
    {
        let connection = ControlSocketClient(path: folder.file("control.sock"))
        for action in [CommandRequest.Action.getStatus, .getLocations, .getCurrentPosition] {
            let answer = try connection.perform(
                CommandRequest(id: "\(name)-local-\(action)", action: action, parameters: ["timeout": .integer(2)]))
            carriers.add("\(name) \(action) by the socket", "\(answer)")
        }
        for arguments in commands {
            let (_, output, errors) = try await ChildProcess.run(
                AgentProcess.executable, arguments + ["--config", folder.file("agent.json5")])
            carriers.add("\(name) odograph \(arguments[0])", output + errors)
        }
    }

    /// Waits until the receiver has made this many more reports.
    private static func wait(for reports: Int, _ receiver: ScriptedReceiver) async throws {
        let count = receiver.reported.count
        _ = try await eventually { receiver.reported.count >= count + reports ? true : nil }
    }

    @Test(
        "A capture with wrong dates in private time leaks no private coordinate into records or pages",
        arguments: ["jsonl", "html"])
    func analysis(format: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "{ tracking: { schedule: '0-1,6-59 * * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } } }",
            to: "tracking.json5")
        var lines = Capture.drive(seconds: 600).split(separator: "\n").map(String.init)
        let places = try lines.map(Self.place)
        // Some reports of the private minutes 2 to 5 have a date that is half an hour later or in 1999.
        for index in [150, 200, 201, 250, 251, 252, 253, 300] {
            lines[index] = lines[index].replacing(#/T08:0/#, with: "T08:3")
        }
        lines[170] = lines[170].replacing("2026-", with: "1999-")
        try folder.write(lines.joined(separator: "\n") + "\n", to: "drive.jsonl")
        let (ending, output, errors) = try await ChildProcess.run(
            AgentProcess.executable,
            ["analyze", folder.file("drive.jsonl"), "--config", folder.file("tracking.json5"), "--format", format])
        #expect(ending == .exited(0), "\(errors)")
        func isTold(_ index: Int) -> Bool {
            guard let place = places[index] else { return false }
            return !LeakSearch([place]).finds(in: Array((output + errors).utf8)).isEmpty
        }
        // Seconds near a turn are excluded, because the axis value at a turn also belongs to the next minute.
        #expect((125...355).filter { index in index % 60 > 3 && isTold(index) } == [])
        if format == "jsonl" { #expect((10...110).contains { isTold($0) } && (380...590).contains { isTold($0) }) }
    }

    private static func place(_ line: String) throws -> LeakSearch.Place? {
        guard let latitude = line.firstMatch(of: #/"lat":([-0-9.]+)/#).flatMap({ Double($0.1) }),
            let longitude = line.firstMatch(of: #/"lon":([-0-9.]+)/#).flatMap({ Double($0.1) })
        else { return nil }
        // Only the axis along which the vehicle moves is unique to this place.
        let isNorthbound = line.contains("\"track\":0.0")
        let axis = isNorthbound ? latitude : longitude
        return LeakSearch.Place(latitude: axis, longitude: axis)
    }
}
