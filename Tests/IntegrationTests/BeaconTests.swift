import Glibc
import OdographHarness
import OdographWire
import Testing

@Suite("Beacons, as seen at the broker")
struct BeaconTests {
    private static let uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f"

    @Test("A trailer that is coupled and uncoupled is two records, and is aboard in the locations between them")
    func trailer() async throws {
        let bus = try await BluetoothBus()
        let bluez = try await bus.bluez()
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let receiver = try ScriptedReceiver()
        defer { receiver.stop() }
        receiver.drive(from: LeakSearch.Place(latitude: 47.612_345_6, longitude: 121.512_345_6))
        let agent = try AgentProcess(
            folder: try TemporaryFolder(),
            configuration: AgentProcess.configuration(
                broker: broker.port, source: "{ gpsd: { host: '127.0.0.1', port: \(receiver.port) } }",
                tracking: """
                    { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 },
                      beacons: { exit_after: 10,
                        known: { "trailer-7": { ibeacon: { uuid: "\(Self.uuid)", major: 1, minor: 7 } } } } }
                    """,
                extra: ", vehicle: { bluetooth: {} }"),
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        func problems() throws -> [Problem.Code] { try subscriber.statuses().last?.problems?.map(\.code) ?? [] }
        let isLost: Bool? = try await eventually { try problems().contains(.beaconsLost) ? true : nil }
        #expect(isLost == true, "\(agent.child.errors) \(bluez.errors)")
        let adapter = try bus.addAdapter()
        let isFound: Bool? = try await eventually { try problems().isEmpty ? true : nil }
        #expect(isFound == true, "\(agent.child.errors) \(adapter.errors)")

        let beacon = try bus.advertise("11:22:33:44:55:66")
        let enter = try #require(try await Self.change(.enter, subscriber), "\(agent.child.errors) \(beacon.errors)")
        #expect(enter.event == .beacon && enter.beacon?.identifier == "trailer-7" && enter.beacons == ["trailer-7"])
        #expect((-72 ... -70).contains(try #require(enter.beacon?.rssi)))
        beacon.send(SIGKILL)
        let exit = try #require(try await Self.change(.exit, subscriber), "\(agent.child.errors)")
        #expect(exit.event == .beacon && exit.beacon?.identifier == "trailer-7" && exit.beacons == nil)
        #expect(try await agent.stop() == .exited(0))

        let locations = try Self.locations(subscriber)
        #expect(locations.filter { $0.beacon != nil }.count == 2)
        let (first, last) = (try #require(enter.seq), try #require(exit.seq))
        for location in locations where location.beacon == nil {
            let isBetween = (first..<last).contains(location.seq ?? 0)
            #expect(location.beacons == (isBetween ? ["trailer-7"] : nil), "\(location)")
        }
    }

    /// Returns the location records, each once, in the order of their numbers.
    private static func locations(_ subscriber: Subscriber) throws -> [LocationEvent] {
        var known: [Int64: LocationEvent] = [:]
        for (_, event, _) in try subscriber.locations() { known[event.seq ?? 0] = event }
        return known.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Waits for the first record with a change of a beacon.
    private static func change(_ action: BeaconReading.Action, _ subscriber: Subscriber) async throws -> LocationEvent?
    {
        try await eventually {
            try locations(subscriber).first { $0.beacon?.action == action }
        }
    }
}
