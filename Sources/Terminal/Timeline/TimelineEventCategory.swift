import OdographWire

/// The category of a timeline event in charts.
package enum TimelineEventCategory: CaseIterable {
    case stationary, vehicle, bicycle, onFoot, transport, offTheGrid, unknown

    package init(_ event: TimelineEventRevision) {
        switch (event.type, event.transportMode) {
        case (.stationary, _): self = .stationary
        case (.offTheGrid, _): self = .offTheGrid
        case (.inTransport, .bicycle): self = .bicycle
        case (.inTransport, .walking), (.inTransport, .running): self = .onFoot
        case (.inTransport, nil), (.inTransport, .unknown): self = .transport
        case (.inTransport, _): self = .vehicle
        default: self = .unknown
        }
    }

    /// The name in a legend.
    package var label: String {
        switch self {
        case .stationary: "stationary"
        case .vehicle: "in a vehicle"
        case .bicycle: "by bicycle"
        case .onFoot: "on foot"
        case .transport: "in transit"
        case .offTheGrid: "off the grid"
        case .unknown: "unknown"
        }
    }
}
