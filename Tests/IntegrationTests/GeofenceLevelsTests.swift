import Glibc
import OdographHarness
import Testing
import OdographWire

/// Returns the text of a circular fence.
private func fence(_ id: String, radius: Double = 100, latitude: Double = 40) -> String {
    "{\"type\":\"Feature\",\"id\":\"\(id)\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[-3,\(latitude)]},"
        + "\"properties\":{\"radius\":\(radius)}}"
}

private func set(_ fences: String...) -> String {
    "{\"type\":\"FeatureCollection\",\"features\":[\(fences.joined(separator: ","))]}"
}

@Suite("Geofences from a broker")
struct GeofencesFromABrokerTests {
    /// Waits until the newest report meets a condition.
    private func report(
        _ subscriber: Subscriber, where isSo: @Sendable (ReportedGeofences) -> Bool
    ) async throws -> ReportedGeofences? {
        try await eventually {
            try subscriber.reports().last.flatMap { isSo($0.geofences) ? $0.geofences : nil }
        }
    }

    @Test("Stronger levels override weaker ones, single fences override sets, and each change is reported")
    func levels() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let all = set(fence("a"), fence("b"), fence("bad", radius: 1))
        try await desk.publish(all, to: "fleet/acme/all/geofences")
        let agent = try AgentProcess.driving(broker, folder: TemporaryFolder())
        let first = try await report(subscriber) { $0.count == 2 }
        #expect(first?.levels.map(\.level) == ["all"], "\(agent.child.errors)")
        #expect(first?.levels.first?.errorCount == 1)
        #expect(first?.errors.first?.identifier == "bad")
        #expect(first?.errors.first?.path == "features[2].properties.radius")
        let (_, sum, _) = try await ChildProcess.run("sha256sum", input: all)
        #expect(first?.levels.first?.hash == String(sum.prefix(64)))

        try await desk.publish(set(fence("b", radius: 200), fence("c")), to: "fleet/acme/group:vans/geofences")
        let second = try await report(subscriber) { $0.count == 3 }
        #expect(second != nil)
        try await desk.publish(fence("c", radius: 300), to: "fleet/acme/van-7/geofences/c")
        let third = try await report(subscriber) { $0.levels.map(\.singleCount) == [0, 0, 1] }
        #expect(third?.count == 3)
        #expect(third?.hash != second?.hash)
        // Invalid JSON changes nothing.
        try await desk.publish("{ \"type\": \"FeatureCollection\", \"features\": [", to: "fleet/acme/all/geofences")
        let refused = try await report(subscriber) { $0.levels.first?.isApplied == false }
        #expect(refused?.count == 3 && refused?.hash == third?.hash)
        #expect(refused?.errors.first?.message.contains("cut off") == true)
        // The fences are removed level by level.
        try await desk.publish("", to: "fleet/acme/van-7/geofences/c")
        let fourth = try await report(subscriber) { $0.levels.map(\.level) == ["all", "group:vans"] }
        #expect(fourth?.hash == second?.hash)
        try await desk.publish("", to: "fleet/acme/group:vans/geofences")
        let fifth = try await report(subscriber) { $0.levels.count == 1 }
        #expect(fifth?.hash == first?.hash)
        try await desk.publish(set(), to: "fleet/acme/all/geofences")
        let empty = try await report(subscriber) { $0.count == 0 }
        #expect(empty?.hash == "" && empty?.levels.first?.isApplied == true)
    }

    @Test(
        "After a kill the stored geofences apply without the broker, and the order of arrival has no effect")
    func restart() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let folder = try TemporaryFolder()
        let agent = try AgentProcess.driving(broker, folder: folder)
        _ = try await report(subscriber) { _ in true }
        try await desk.publish(fence("single"), to: "fleet/acme/van-7/geofences/single")
        try await desk.publish(set(fence("a", radius: 20), fence("d")), to: "fleet/acme/van-7/geofences")
        try await desk.publish(set(fence("a"), fence("b")), to: "fleet/acme/all/geofences")
        let known = try await report(subscriber) { $0.count == 4 && $0.levels.count == 2 }
        #expect(known != nil, "\(agent.child.errors)")
        try await agent.kill()
        // No broker listens on this port.
        let silent = try FreePort.next()
        let other = try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(
                broker: silent, source: "{ replay: { file: \"drive.jsonl\", speed: 4 } }", extra: ", groups: [\"vans\"]"
            ))
        let listing = try await eventually { () -> String? in
            let list = try? await Geofences.list(folder)
            return list?.split(separator: "\n").count == 4 ? list : nil
        }
        #expect(listing?.contains(known?.hash ?? "?") == true, "\(other.child.errors)")
        _ = try await other.stop()
        // The list of a stopped agent comes from its files.
        let stored = try await Geofences.list(folder)
        #expect(stored.split(separator: "\n").count == 4 && stored.contains(known?.hash ?? "?"), "\(stored)")
        #expect(stored.contains("\"single\":true"))

        // Another vehicle gets the same messages in another order.
        let second = try await MosquittoBroker()
        let (listener, publisher) = (try await Subscriber(port: second.port), BrokerOperator(port: second.port))
        try await publisher.publish(set(fence("b"), fence("a")), to: "fleet/acme/all/geofences")
        try await publisher.publish(set(fence("a", radius: 20), fence("d")), to: "fleet/acme/van-7/geofences")
        try await publisher.publish(fence("single"), to: "fleet/acme/van-7/geofences/single")
        let again = try AgentProcess.driving(second, folder: TemporaryFolder())
        let same = try await report(listener) { $0.count == 4 }
        #expect(same?.hash == known?.hash, "\(again.child.errors)")
    }

    @Test("A damaged file is reported in the status and replaced by the broker's sets")
    func damaged() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let folder = try TemporaryFolder()
        try await desk.publish(set(fence("a")), to: "fleet/acme/all/geofences")
        let agent = try AgentProcess.driving(broker, folder: folder)
        _ = try await report(subscriber) { $0.count == 1 }
        try await agent.kill()
        try folder.write("no manifest", to: "agent.db-geofences/manifest.json")
        let count = subscriber.messages.count
        let again = try AgentProcess.driving(broker, folder: folder)
        let told = try await eventually {
            try subscriber.statuses().contains { $0.problems?.contains { $0.code == .geofencesDamaged } ?? false }
                ? true : nil
        }
        #expect(told == true, "\(again.child.errors)")
        let back = try await eventually { () -> Bool? in
            guard subscriber.messages.count > count else { return nil }
            let isSettled =
                try subscriber.statuses().last?.problems?.contains { $0.code == .geofencesDamaged } ?? false
            return try subscriber.reports().last?.geofences.count == 1 && !isSettled ? true : nil
        }
        #expect(back == true)
    }

    @Test("A set of 10 MB applies like any other")
    func large() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try TemporaryFolder()
        let note = ",\"note\":\"" + String(repeating: "x", count: 400) + "\"}"
        let fences = (0..<20_000).map { fence("fence-\($0)", latitude: 40 + Double($0) / 100_000).dropLast() + note }
        let text = "{\"type\":\"FeatureCollection\",\"features\":[\(fences.joined(separator: ",\n"))]}"
        #expect(text.utf8.count > 10 << 20)
        let file = try folder.write(text, to: "large.geojson")
        let (ending, _, errors) = try await ChildProcess.run(
            "mosquitto_pub",
            ["-p", "\(broker.port)", "-q", "1", "-r", "-t", "fleet/acme/all/geofences", "-f", file], seconds: 60)
        #expect(ending == .exited(0), "\(errors)")
        let agent = try AgentProcess.driving(broker, folder: folder)
        let report = try await eventually {
            try subscriber.reports().last.flatMap { $0.geofences.count == 20_000 ? $0.geofences : nil }
        }
        #expect(report?.levels.first?.isApplied == true, "\(agent.child.errors)")
    }
}

/// The command `odograph geofences` for an agent's folder.
enum Geofences {
    static func list(_ folder: TemporaryFolder) async throws -> String {
        let run = try await ChildProcess.run(
            AgentProcess.executable, ["geofences", "--json", "--config", folder.file("agent.json5")])
        guard run.ending == .exited(0) else { throw HarnessError("geofences: \(run.errors)") }
        return run.output
    }
}

@Suite("The operator's geofence commands")
struct FleetGeofencesTests {
    private func fleet(
        _ broker: MosquittoBroker, _ arguments: [String]
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let address = ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme"]
        return try await ChildProcess.run(
            AgentProcess.executable, ["fleet", "geofences"] + arguments + address, seconds: 120)
    }

    @Test("A valid file is checked, compared, published and confirmed, and an invalid one is not published")
    func push() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.driving(broker, folder: folder)
        _ = try await eventually { try subscriber.reports().first }
        let file = try folder.write(set(fence("a"), fence("b")), to: "fences.geojson")
        let new = try await fleet(broker, ["diff", file, "--device", "van-7"])
        #expect(new.ending == .exited(1))
        #expect(new.output == "+ a\n+ b\n2 added, 0 changed, 0 removed, 0 unchanged\n", "\(new.errors)")
        let pushed = try await fleet(broker, ["push", file, "--device", "van-7"])
        #expect(pushed.ending == .exited(0), "\(pushed.errors) \(agent.child.errors)")
        #expect(pushed.output.contains("in force: van-7"))
        let same = try await fleet(broker, ["diff", file, "--device", "van-7"])
        #expect(same.ending == .exited(0), "\(same.output)")
        let next = try folder.write(set(fence("c"), fence("b", radius: 7)), to: "next.geojson")
        let other = try await fleet(broker, ["diff", next, "--device", "van-7"])
        #expect(other.output == "+ c\n~ b\n- a\n1 added, 1 changed, 1 removed, 0 unchanged\n", "\(other.errors)")
        let bad = try folder.write(set(fence("a", radius: 1)), to: "bad.geojson")
        let refused = try await fleet(broker, ["push", bad, "--device", "van-7"])
        #expect(refused.ending == .exited(65))
        #expect(refused.errors.contains("features[0].properties.radius"), "\(refused.errors)")
    }
}
