import OdographCivilTime
import Glibc
import OdographHarness
import OdographJSON
import OdographStore
import Testing
import OdographWire

@Suite("Saved documents that cannot be read")
struct UnreadableDocumentTests {
    private static let device = "fleet/acme/van-7"
    static let document = "configuration:device"
    /// A document that makes the whole drive private.
    private static let hidden =
        "{ tracking: { schedule: '* 3 * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } } }"

    /// A change to the document between two runs.
    enum Damage: CaseIterable {
        case notJSON, ofNewerVersion, earlierOne, rowIsGone, databaseIsGone, databaseIsGarbage, databaseCannotBeOpened

        /// Applies the damage to the folder of an agent.
        func strike(_ folder: TemporaryFolder) async throws {
            let path = folder.file("agent.db")
            switch self {
            case .databaseIsGone: for name in [path, path + "-wal"] { unlink(name) }
            case .databaseIsGarbage: try folder.write(String(repeating: "no database ", count: 10_000), to: "agent.db")
            case .databaseCannotBeOpened:
                for name in [path, path + "-wal"] { unlink(name) }
                mkdir(path, 0o700)
            default:
                let store = try await AgentStore.open(at: path, now: Timestamp(millisecondsSinceEpoch: 0)).store
                switch self {
                case .notJSON:
                    try await store.saveDocument(UnreadableDocumentTests.document, Array("{ tracking: { sche".utf8))
                case .ofNewerVersion:
                    try await store.saveDocument(
                        UnreadableDocumentTests.document, Array("{ tracking: { new_key: 1 } }".utf8))
                case .earlierOne: try await store.saveDocument(UnreadableDocumentTests.document, Array("{}".utf8))
                default: try await store.removeDocument(UnreadableDocumentTests.document)
                }
                try await store.close()
            }
        }
    }

    @Test(
        "Private time stays private and the loss is reported until the document returns", arguments: Damage.allCases
    )
    func configuration(damage: Damage) async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let folder = try TemporaryFolder()
        try await desk.publish(Self.hidden, to: "\(Self.device)/config")
        let first = try AgentProcess.driving(broker, folder: folder)
        let applied = try await eventually {
            try subscriber.reports().first { $0.tracking.offSchedule == .private }
        }
        #expect(applied != nil, "\(first.child.errors)")
        #expect(try await first.stop() == .exited(0))
        // The broker loses its retained document.
        try await desk.publish("", to: "\(Self.device)/config")
        let before = try subscriber.locations().count
        try await damage.strike(folder)
        let count = try subscriber.reports().count
        let second = try AgentProcess.driving(broker, folder: folder)
        let told = try await eventually {
            try subscriber.statuses().last { $0.problems?.contains { $0.code == .configurationUnreadable } == true }
        }
        #expect(told != nil, "\(damage): \(second.child.errors)")
        // The vehicle drives for about a minute.
        let driven = try await eventually {
            let odometer = try await desk.ask(
                "{\"id\": \"o\(SystemTime.milliseconds)\", \"action\": \"get_odometer\"}", of: "\(Self.device)/command")
            switch odometer.members["odometer"] {
            case .number(let meters)? where meters > 700: return true
            // The odometer may be a whole number of metres.
            case .integer(let meters)? where meters > 700: return true
            default: return nil
            }
        }
        #expect(driven == true, "\(damage): \(second.child.errors)")
        #expect(try subscriber.locations().count == before)
        let report = try subscriber.reports().dropFirst(count).last
        #expect(report?.withinSchedule == false && report?.tracking.offSchedule == .private)
        #expect(
            report?.errors.contains { $0.topic == "\(Self.device)/config" && $0.message.contains("saved document") }
                == true)
        // An operator publishes an empty document.
        try await desk.publish("{}", to: "\(Self.device)/config")
        let isOpen = try await eventually { try subscriber.locations().count > before ? true : nil }
        #expect(isOpen == true, "\(damage): \(second.child.errors)")
        // The positions can come before the status without the problem.
        let isSettled = try await eventually {
            try subscriber.statuses().last?.problems?.map(\.code).contains(.configurationUnreadable) == true
                ? nil : true
        }
        #expect(isSettled == true)
        _ = try await second.stop()
    }

    @Test("A damaged database without a manifest is private only until the broker turns out to hold no document")
    func neverConfigured() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "no database ", count: 10_000), to: "agent.db")
        let agent = try AgentProcess.driving(broker, folder: folder)
        // The first report can come before the first event of the replay, which brings the replay's time.
        let isPrivate = try await eventually {
            try subscriber.reports().contains { $0.tracking.offSchedule == .private } ? true : nil
        }
        #expect(isPrivate == true, "\(agent.child.errors)")
        let isOpen = try await eventually { try subscriber.locations().isEmpty ? nil : true }
        #expect(isOpen == true, "\(agent.child.errors)")
        _ = try await agent.stop()
    }

    @Test("Other unreadable documents are reported, and connection numbers are not reused")
    func others() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try TemporaryFolder()
        let first = try AgentProcess.driving(broker, folder: folder)
        _ = try await eventually { try subscriber.statuses().isEmpty ? nil : true }
        _ = try await first.stop()
        let numbers = try subscriber.statuses().map(\.connection)
        let store = try await AgentStore.open(
            at: folder.file("agent.db"), now: Timestamp(millisecondsSinceEpoch: 0)
        ).store
        for name in ["link_connections", "link_protocol", "link_keep_alive", "answered_commands", "command_extras"] {
            try await store.saveDocument(name, Array("{ half".utf8))
        }
        try await store.close()
        let second = try AgentProcess.driving(broker, folder: folder)
        let told = try await eventually {
            try subscriber.statuses().last?.problems?.first { $0.code == .documentUnreadable }
        }
        for words in ["connection number", "MQTT version", "keep-alive", "answered commands", "set_extras"] {
            #expect(told?.text.contains(words) == true, "\(words): \(String(describing: told)) \(second.child.errors)")
        }
        let newest = try #require(try subscriber.statuses().map(\.connection).max())
        #expect(newest > numbers.max() ?? .max)
        _ = try await second.stop()
    }
}

/// A number that is new at each use.
private enum SystemTime {
    static var milliseconds: Int64 {
        var reading = timespec()
        clock_gettime(CLOCK_MONOTONIC, &reading)
        return Int64(reading.tv_sec) * 1000 + Int64(reading.tv_nsec) / 1_000_000
    }
}
