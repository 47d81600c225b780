/// A state of the movement model: what is moved, and whether it stands at this moment.
enum Movement: Int, Hashable, Sendable, Codable, CaseIterable {
    /// Parked, or at rest with nobody on the way.
    case still
    /// On foot and getting on.
    case walk
    /// On foot without getting on: waiting, looking for a door, handing over a parcel.
    case pause
    /// Running.
    case run
    /// Cycling.
    case ride
    /// On a bicycle that stands.
    case rideHalt
    /// Driving.
    case drive
    /// Driving at a crawl: a queue, a yard, the metres before and after a halt.
    case crawl
    /// In a vehicle that stands for the moment.
    case driveHalt

    /// Who or what moves.
    var carrier: Carrier {
        switch self {
        case .still: .none
        case .walk, .pause: .foot
        case .run: .running
        case .ride, .rideHalt: .bicycle
        case .drive, .crawl, .driveHalt: .vehicle
        }
    }

    /// What it is where the receiver is mounted in a vehicle: who walks with it is in a queue.
    var aboard: Movement {
        switch self {
        case .still: .still
        case .walk, .run, .crawl: .crawl
        case .pause, .rideHalt, .driveHalt: .driveHalt
        case .ride, .drive: .drive
        }
    }

    /// Whether the position stays where it is.
    var isHalt: Bool {
        switch self {
        case .still, .pause, .rideHalt, .driveHalt: true
        case .walk, .run, .ride, .drive, .crawl: false
        }
    }
}

/// Who or what moves, the slower ones first.
enum Carrier: Int, Hashable, Sendable, Codable, CaseIterable {
    case none, foot, running, bicycle, vehicle

    /// Whether somebody gets on and off.
    var isOnWheels: Bool { self == .bicycle || self == .vehicle }
}
