import Glibc
import OdographBeacons
import OdographHarness
import OdographModel
import OdographPositioning
import OdographThreads
import Testing

@Suite("BlueZ as a receiver of beacons")
struct BlueZSourceTests {
    private static func rule() -> BeaconRule {
        var rule = BeaconRule()
        rule.known = [
            "trailer-7": .iBeacon(uuid: Array(0..<16), major: 1, minor: 7),
            "trailer-8": .iBeacon(uuid: Array(0..<16), major: 1, minor: 8),
        ]
        rule.exitSeconds = 3
        return rule
    }

    @Test("A beacon enters and leaves; each fault of BlueZ is named, and the next one is found again")
    func life() async throws {
        let bus = try await BluetoothBus()
        var settings = BluetoothSettings()
        settings.busAddress = bus.address
        settings.retrySeconds = 0.1...0.5
        let seen = SeenEvents()
        let events = BlueZSource(settings, clock: SystemAgentClock()).events(rule: Self.rule(), present: [])
        let consumer = Task { for await event in events { seen.append(event) } }
        defer { consumer.cancel() }
        func see(_ match: (BeaconSourceEvent) -> Bool) async throws -> BeaconSourceEvent? {
            try await eventually(within: 60) { seen.events.first(where: match) }
        }
        func details(_ part: String) -> (BeaconSourceEvent) -> Bool {
            { if case .unavailable(let detail) = $0 { detail.contains(part) } else { false } }
        }
        func change(_ action: BeaconEvent.Action) -> (BeaconSourceEvent) -> Bool {
            { if case .change(let event) = $0 { event.action == action } else { false } }
        }
        #expect(try await see(details("bluetoothd does not run")) != nil)
        let first = try await bus.bluez()
        #expect(try await see(details("there is no Bluetooth adapter hci0")) != nil, "\(first.errors)")
        let adapter = try bus.addAdapter()
        #expect(try await see { $0 == .available } != nil, "\(adapter.errors)")
        let sender = try bus.advertise("11:22:33:44:55:66")
        let entered = try await see(change(.enter))
        guard case .change(let enter)? = entered else {
            Issue.record("no enter: \(sender.errors) \(first.errors)")
            return
        }
        #expect(enter.identifier == "trailer-7" && (-72 ... -70).contains(enter.signalDBm ?? 0))
        sender.send(SIGKILL)
        guard case .change(let exit)? = try await see(change(.exit)) else {
            Issue.record("no exit")
            return
        }
        #expect(exit.identifier == "trailer-7")
        #expect(seen.events.filter { change(.enter)($0) || change(.exit)($0) }.count == 2)
        seen.removeAll()
        first.send(SIGKILL)
        #expect(try await see(details("bluetoothd does not run")) != nil)
        let second = try await bus.bluez()
        #expect(try await see(details("there is no Bluetooth adapter hci0")) != nil, "\(second.errors)")
        let adapterAgain = try bus.addAdapter()
        #expect(try await see { $0 == .available } != nil, "\(adapterAgain.errors)")
    }

    @Test("Without a bus the reason is named")
    func noBus() async throws {
        var settings = BluetoothSettings()
        settings.busAddress = "unix:path=/nonexistent"
        var events = BlueZSource(settings, clock: SystemAgentClock()).events(rule: Self.rule(), present: [])
            .makeAsyncIterator()
        guard case .unavailable(let detail)? = await events.next() else {
            Issue.record("another event")
            return
        }
        #expect(detail.contains("no connection to D-Bus"))
    }
}

/// The events of a source.
private final class SeenEvents: Sendable {
    private let list = Lock<[BeaconSourceEvent]>([])

    var events: [BeaconSourceEvent] { list.withLock { $0 } }

    func append(_ event: BeaconSourceEvent) { list.withLock { $0.append(event) } }

    func removeAll() { list.withLock { $0 = [] } }
}
