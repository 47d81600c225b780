import OdographGeodesy
import OdographHarness

extension RoadDrive {
    static let town = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) ?? .gulf
}
