/// The settings of the relay to Traccar.
package struct RelaySettings: Hashable, Sendable {
    /// The identifier of a vehicle at Traccar.
    package enum Identifier: String, Hashable, Sendable, CaseIterable {
        /// The name of the vehicle.
        case device
        /// The names of fleet and vehicle, as in `acme-van-7`.
        case fleetDevice = "fleet-device"
    }

    /// The port of Traccar for the protocol OsmAnd.
    package var service: WebService
    /// The identifier of a vehicle at Traccar.
    package var identifier: Identifier

    /// - Parameters: As the properties of the same names.
    package init(_ service: WebService, identifier: Identifier = .device) {
        (self.service, self.identifier) = (service, identifier)
    }
}
