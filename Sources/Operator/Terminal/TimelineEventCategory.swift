import Odograph
import OdographWire

/// The category of a timeline event in charts.
enum TimelineEventCategory: CaseIterable {
    case stationary, vehicle, bicycle, onFoot, transport, offTheGrid, unknown

    init(_ event: TimelineEventRevision) {
        switch (event.type, event.transportMode) {
        case ("STATIONARY", _): self = .stationary
        case ("OFF_THE_GRID", _): self = .offTheGrid
        case ("IN_TRANSPORT", "BICYCLE"): self = .bicycle
        case ("IN_TRANSPORT", "WALKING"), ("IN_TRANSPORT", "RUNNING"): self = .onFoot
        case ("IN_TRANSPORT", nil), ("IN_TRANSPORT", "UNKNOWN"): self = .transport
        case ("IN_TRANSPORT", _): self = .vehicle
        default: self = .unknown
        }
    }

    /// The name in a legend.
    var label: String {
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
