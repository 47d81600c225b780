import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel

/// A day of three drives with a parked time before, between and after them: the truth each second.
struct DrivenDay {
    /// The truth at one second.
    struct Moment {
        var place: Coordinate
        /// The distance since the day began, metres.
        var meters: Double
        /// The speed, m/s.
        var speed: Double
        var headingDegrees: Double
        /// The number of the drive, from 0; nil while parked.
        var drive: Int?
    }

    private static let roads: [(road: SimulatedRoad, seconds: Double)] = [
        (.cityGrid, 1000), (.commute, 750), (.oldTown, 700),
    ]

    private(set) var moments: [Moment] = []

    /// - Parameters:
    ///   - seed: The same seed gives the same day.
    ///   - stand: The time between two drives, seconds.
    init(seed: UInt64, standSeconds stand: Int = 900) {
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return }
        var last = Moment(place: start, meters: 0, speed: 0, headingDegrees: 0)
        park(600, at: last)
        for (index, way) in Self.roads.enumerated() {
            let drive = RoadDrive(
                on: way.road, seed: seed * 10 + UInt64(index), seconds: way.seconds, from: last.place)
            let meters = last.meters
            for second in 0..<Int(way.seconds) {
                let (now, next) = (drive.sights[10 * second], drive.sights[10 * second + 1])
                last = Moment(
                    place: now.place, meters: meters + now.trueMeters, speed: (next.trueMeters - now.trueMeters) * 10,
                    headingDegrees: now.headingDegrees, drive: index)
                moments.append(last)
            }
            (last.speed, last.drive) = (0, nil)
            park(stand, at: last)
        }
    }

    private mutating func park(_ seconds: Int, at moment: Moment) {
        moments += [Moment](repeating: moment, count: seconds)
    }
}
