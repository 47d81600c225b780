import OdographModel
import OdographWire

extension BeaconReading {
    /// Creates the wire form of a change.
    package init(_ event: BeaconEvent) {
        self.init(
            identifier: event.identifier, action: Action(rawValue: event.action.rawValue), rssi: event.signalDBm)
    }
}
