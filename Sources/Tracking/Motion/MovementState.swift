/// A state of the movement model: what is moved, and whether it stands at this moment.
enum MovementState: Int, Hashable, Sendable, Codable, CaseIterable {
    /// Parked, or at rest with nobody on the way.
    case still
    /// On foot and getting on.
    case walking
    /// On foot without getting on: waiting, looking for a door, handing over a parcel.
    case pausing
    /// Running.
    case running
    /// Cycling.
    case cycling
    /// On a bicycle that stands.
    case cyclingHalt
    /// Driving.
    case driving
    /// Driving at a crawl: a queue, a yard, the metres before and after a halt.
    case crawling
    /// In a vehicle that stands for the moment.
    case drivingHalt

    /// Who or what moves.
    var mode: MovementMode {
        switch self {
        case .still: .stationary
        case .walking, .pausing: .foot
        case .running: .running
        case .cycling, .cyclingHalt: .bicycle
        case .driving, .crawling, .drivingHalt: .vehicle
        }
    }

    /// What it is where the receiver is mounted in a vehicle: who walks with it is in a queue.
    var asVehicleMounted: MovementState {
        switch self {
        case .still: .still
        case .walking, .running, .crawling: .crawling
        case .pausing, .cyclingHalt, .drivingHalt: .drivingHalt
        case .cycling, .driving: .driving
        }
    }

    /// Whether the position stays where it is.
    var isStationary: Bool {
        switch self {
        case .still, .pausing, .cyclingHalt, .drivingHalt: true
        case .walking, .running, .cycling, .driving, .crawling: false
        }
    }
}

/// Who or what moves, the slower ones first.
enum MovementMode: Int, Hashable, Sendable, Codable, CaseIterable {
    case stationary, foot, running, bicycle, vehicle

    /// Whether somebody gets on and off.
    var isOnWheels: Bool { self == .bicycle || self == .vehicle }
}
