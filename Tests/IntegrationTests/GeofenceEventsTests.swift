import OdographCivilTime
import FoundationEssentials
import Glibc
import OdographHarness
import OdographJSON
import Testing
import OdographWire

/// A drive of 2880 m to the east in 4 min, a stop of 6 min, and another drive: through a gate and a zone to a depot.
private enum DriveThroughFences {
    static let start = Timestamp(iso8601: "2026-11-20T08:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)
    static let fences =
        #"{"type":"FeatureCollection","features":["#
        + feature(
            "gate", #"{"type":"LineString","coordinates":[[\#(longitude(1000)),39.999],[\#(longitude(1000)),40.001]]}"#,
            #""corridor":10"#)
        + "," + feature("zone", point(1800), #""radius":200,"notify_on_exit":true"#)
        + ","
        + feature(
            "depot", point(2880),
            #""radius":100,"notify_on_dwell":true,"loitering_delay":120,"name":"Depot 1","significance":"DEPOT","#
                + #""extras":{"gates":3}"#)
        + "]}"

    /// The expected events in order.
    static let story = ["CROSS gate", "ENTER zone", "EXIT zone", "ENTER depot", "DWELL depot", "EXIT depot"]

    /// Returns the time at which the driving vehicle is this many metres from its start.
    static func time(atMeters meters: Double) -> Timestamp {
        // The position of the first second is already 12 m from the start.
        start.advanced(bySeconds: meters / 12 - 1)
    }

    private static func longitude(_ meters: Double) -> Double { -3 + meters / 85_394 }

    private static func point(_ meters: Double) -> String {
        #"{"type":"Point","coordinates":[\#(longitude(meters)),40]}"#
    }

    private static func feature(_ id: String, _ geometry: String, _ properties: String) -> String {
        #"{"type":"Feature","id":"\#(id)","geometry":\#(geometry),"properties":{\#(properties)}}"#
    }
}

@Suite("Geofences on a drive, as seen at the broker")
struct GeofenceEventsTests {
    private func agent(_ folder: TemporaryFolder, port: UInt16, speed: String) throws -> AgentProcess {
        try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(
                broker: port, source: "{ replay: { file: \"drive.jsonl\", speed: \(speed) } }", tracking: "{}"))
    }

    /// Returns the folder of a vehicle that has its geofences and has not departed yet.
    private func prepared(_ broker: MosquittoBroker, _ subscriber: Subscriber) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(Capture.rounds(2), to: "drive.jsonl")
        try await BrokerOperator(port: broker.port).publish(DriveThroughFences.fences, to: "fleet/acme/van-7/geofences")
        // The agent has no receiver yet.
        let agent = try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(
                broker: broker.port, source: "{ gpsd: { port: \(try FreePort.next()) } }", tracking: "{}"))
        let known = try await eventually {
            try subscriber.reports().contains { $0.geofences.count == 3 } ? true : nil
        }
        #expect(known != nil, "\(agent.child.errors)")
        #expect(try subscriber.reports().last?.geofences.errors == [])
        #expect(try await agent.stop() == .exited(0))
        return folder
    }

    @Test("Each event is published once with the time of the crossing and the fence's texts, and the stop has a venue")
    func live() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try await prepared(broker, subscriber)
        let agent = try agent(folder, port: broker.port, speed: "50")
        let end = try await eventually { agent.child.errors.contains("has ended") ? true : nil }
        #expect(end != nil, "\(agent.child.errors)")
        _ = try await eventually { try subscriber.hasAll(atLeast: 6) ? true : nil }
        #expect(try await agent.stop() == .exited(0))

        let events = try subscriber.geofenceEvents()
        #expect(events.map(\.text) == DriveThroughFences.story)
        #expect(events.contains { $0.topic == "fleet/acme/van-7/geofence" })
        #expect(subscriber.messages.allSatisfy { !$0.topic.contains("/geofence/") || !$0.isRetained })
        #expect(events.allSatisfy { $0.event.event == .geofence })
        // The edges in metres. The dwell is confirmed 120 s after its edge.
        let edges = [990.0, 1600, 2000, 2780, 2780, 2980]
        for (index, event) in events.enumerated() where index < edges.count {
            var expected = DriveThroughFences.time(atMeters: edges[index])
            if event.trigger.action == .dwell { expected = expected.advanced(bySeconds: 120) }
            // The vehicle stopped for six minutes before the last event.
            if index == 5 { expected = expected.advanced(bySeconds: 360) }
            let error = event.trigger.occurredAt.seconds(since: expected)
            #expect(abs(error) < 1.5, "\(event.text)")
            let delay = event.trigger.confirmedAt.seconds(since: event.trigger.occurredAt)
            #expect(delay >= 0 && delay < 15, "\(event.text)")
        }
        let depot = try #require(events.first { $0.text == "ENTER depot" }?.trigger)
        #expect(depot.name == "Depot 1" && depot.significance == "DEPOT" && depot.extras == ["gates": .integer(3)])
        #expect(try subscriber.venues() == ["depot Depot 1 DEPOT"])
    }

    @Test("Events during an outage of the broker arrive as backlog, complete and in order")
    func backlog() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try await prepared(broker, subscriber)
        try await broker.stop(SIGTERM)
        let agent = try agent(folder, port: broker.port, speed: "\"max\"")
        let end = try await eventually { agent.child.errors.contains("has ended") ? true : nil }
        #expect(end != nil, "\(agent.child.errors)")
        try await broker.start()
        let told = try await eventually { try subscriber.geofenceEvents().count == 6 ? true : nil }
        #expect(told != nil, "\(agent.child.errors)")
        let events = try subscriber.geofenceEvents()
        #expect(events.map(\.text) == DriveThroughFences.story)
        // The newest record of all may still be live.
        #expect(events.dropLast().allSatisfy { $0.topic == "fleet/acme/van-7/geofence/backlog" })
        let arrived = try subscriber.messages.filter { $0.topic == "fleet/acme/van-7/geofence/backlog" }
            .compactMap { try JSONDecoder().decode(LocationMessage.self, from: Data($0.payload.utf8)).location.seq }
        #expect(arrived == arrived.sorted())
    }

    @Test("An agent that is killed inside a fence publishes each event once")
    func killed() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try await prepared(broker, subscriber)
        // The kills happen in the zone, in the depot before the dwell, and in the depot after it.
        for action in ["ENTER zone", "ENTER depot", "DWELL depot"] {
            let agent = try agent(folder, port: broker.port, speed: "25")
            let told = try await eventually {
                try subscriber.geofenceEvents().contains { $0.text == action } ? true : nil
            }
            #expect(told != nil, "\(action): \(agent.child.errors)")
            try await agent.kill()
        }
        let agent = try agent(folder, port: broker.port, speed: "\"max\"")
        let left = try await eventually {
            try subscriber.geofenceEvents().contains { $0.text == "EXIT depot" } ? true : nil
        }
        #expect(left != nil, "\(agent.child.errors)")
        let events = try subscriber.geofenceEvents()
        #expect(events.map(\.text) == DriveThroughFences.story)
        #expect(events.allSatisfy { $0.trigger.initial != true && $0.trigger.reason == nil })
        let exit = events.last?.trigger
        let entry = events.first { $0.text == "ENTER depot" }?.trigger
        if let exit, let entry, let dwell = exit.dwell {
            #expect(abs(dwell - exit.occurredAt.seconds(since: entry.occurredAt)) < 0.01)
        } else {
            Issue.record("no visit")
        }
    }
}

extension Subscriber {
    fileprivate struct GeofenceRecord {
        var topic: String
        var event: LocationEvent
        var trigger: GeofenceTrigger

        var text: String { "\(trigger.action) \(trigger.identifier)" }
    }

    /// Returns the geofence events so far, each record once, sorted by number.
    fileprivate func geofenceEvents() throws -> [GeofenceRecord] {
        let topics = ["fleet/acme/van-7/geofence", "fleet/acme/van-7/geofence/backlog"]
        var bySeq: [Int64: GeofenceRecord] = [:]
        for message in messages where topics.contains(message.topic) {
            let event = try JSONDecoder().decode(LocationMessage.self, from: Data(message.payload.utf8)).location
            guard let trigger = event.geofence, let seq = event.seq else {
                throw HarnessError("no geofence event: \(message.payload)")
            }
            if bySeq[seq] == nil { bySeq[seq] = GeofenceRecord(topic: message.topic, event: event, trigger: trigger) }
        }
        return bySeq.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the venues of the stops from their last revisions.
    fileprivate func venues() throws -> [String] {
        var newest: [String: TimelineEventRevision] = [:]
        for message in messages where message.topic.contains("/timeline") {
            let event = try JSONDecoder().decode(TimelineMessage.self, from: Data(message.payload.utf8)).timelineEvent
            if event.revision > newest[event.eventID]?.revision ?? 0 { newest[event.eventID] = event }
        }
        return newest.values.filter { $0.type == .stationary }.sorted { $0.startDate < $1.startDate }
            .compactMap(\.venue).map { "\($0.identifier) \($0.name ?? "-") \($0.significance ?? "-")" }
    }
}
