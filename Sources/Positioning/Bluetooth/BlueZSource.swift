public import OdographBeacons
import OdographModel

/// BlueZ as a receiver of advertisements. It connects again for as long as its events are consumed.
///
/// It subscribes to the signals of those devices only that belong to a named beacon, so advertisements of others wake
/// it once, when BlueZ finds the device.
public final class BlueZSource: BeaconSource {
    private let settings: BluetoothSettings
    private let clock: any AgentClock

    /// Creates a receiver. It connects when its events are requested.
    public init(_ settings: BluetoothSettings, clock: any AgentClock) {
        self.settings = settings
        self.clock = clock
    }

    /// Returns an endless stream of events.
    public func events(rule: BeaconRule, present: [String]) -> AsyncStream<BeaconSourceEvent> {
        SourceLoop.stream(of: BeaconSourceEvent.self, clock: clock) { [settings] loop, emit in
            var presence = BeaconPresence(rule: rule, present: present)
            Self.run(settings, rule, &presence, loop, emit)
        }
    }

    private static func run(
        _ settings: BluetoothSettings, _ rule: BeaconRule, _ presence: inout BeaconPresence, _ loop: SourceLoop,
        _ emit: (BeaconSourceEvent) -> Void
    ) {
        let seconds = settings.retrySeconds
        loop.retry(minimumSeconds: seconds.lowerBound, maximumSeconds: seconds.upperBound) {
            do throws(SystemBus.Failure) {
                let bus = try SystemBus.connected(to: settings.busAddress)
                var scan = BlueZScan(adapter: settings.adapter, rule: rule)
                try scan.run(on: bus, &presence, loop, emit)
            } catch {
                emit(.unavailable(detail: BlueZProblem.text(for: error, adapter: settings.adapter)))
            }
            presence.interrupt()
        }
    }
}
