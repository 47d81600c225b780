/// A state of the movement model: the movement mode and whether it is at a halt.
enum MovementState: Int, Hashable, Sendable, CaseIterable {
    /// Parked, or at rest without a trip in progress.
    case still
    /// On foot and advancing.
    case walking
    /// On foot without advancing: waiting, looking for a door, handing over a parcel.
    case pausing
    /// Running.
    case running
    /// Cycling.
    case cycling
    /// On a bicycle at a halt.
    case cyclingHalt
    /// Driving.
    case driving
    /// Driving at a crawl: a queue, a yard, the metres before and after a halt.
    case crawling
    /// In a vehicle at a short halt.
    case drivingHalt

    /// The movement mode.
    var mode: MovementMode {
        switch self {
        case .still: .stationary
        case .walking, .pausing: .foot
        case .running: .running
        case .cycling, .cyclingHalt: .bicycle
        case .driving, .crawling, .drivingHalt: .vehicle
        }
    }

    /// The equivalent state if the receiver is mounted in a vehicle: walking speed then means a queue.
    var asVehicleMounted: MovementState {
        switch self {
        case .still: .still
        case .walking, .running, .crawling: .crawling
        case .pausing, .cyclingHalt, .drivingHalt: .drivingHalt
        case .cycling, .driving: .driving
        }
    }

    /// Whether the position does not change.
    var isStationary: Bool {
        switch self {
        case .still, .pausing, .cyclingHalt, .drivingHalt: true
        case .walking, .running, .cycling, .driving, .crawling: false
        }
    }
}

/// The means of movement, slower ones first.
enum MovementMode: Int, Hashable, Sendable, Codable, CaseIterable {
    case stationary, foot, running, bicycle, vehicle

    /// Whether the mode is a bicycle or a vehicle.
    var isOnWheels: Bool { self == .bicycle || self == .vehicle }
}
