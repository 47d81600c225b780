import OdographCivilTime
import OdographGeodesy
import Testing

@testable import OdographTracking

/// The geofence has a radius of 50 m and is left 20 m beyond its edge. The accuracy is 4 m.
@Suite("Leaving a geofence")
struct GeofenceLeavingTests {
    /// Shows a vehicle that was inside and then is at given distances from the centre, with a reported speed.
    private func scene(_ places: [Double], speed: Double?) -> FenceScene {
        var scene = FenceScene()
        scene.play("....iiiiii")
        for place in places { scene.show(metersEast: place, speed: speed) }
        return scene
    }

    private func delay(_ scene: FenceScene) -> Double? {
        scene.events.first { $0.action == .exit }.map { $0.confirmedAt.seconds(since: $0.occurredAt) }
    }

    @Test(
        "A matching reported speed makes the exit earlier", arguments: [4.0, 8, 12, 20, 30])
    func drivesAway(speed: Double) throws {
        let places = (1...20).map { 40 + Double($0) * speed }
        let told = try #require(delay(scene(places, speed: speed)))
        let untold = try #require(delay(scene(places, speed: nil)))
        // Three fixes and three seconds at least, and the time that is needed to get beyond the margin.
        #expect(told >= 3)
        #expect(told <= max(4, 20 / speed + 1))
        #expect(told <= untold)
        if speed < 10 { #expect(told < untold) }
    }

    @Test(
        "A position that is shifted outwards without a drive away is not an exit",
        arguments: [
            // Stationary, by its speed.
            (0.5, 4.0),
            // Drives along the edge while its position drifts outwards.
            (12, 4.0),
            (20, 6),
        ] as [(Double, Double)])
    func shifted(speed: Double, drift: Double) {
        // To a distance that neither the margin alone nor the accuracy alone covers.
        let places = stride(from: 50 + drift, through: 73, by: drift).map { $0 }
        #expect(scene(places + [73, 73, 73, 72, 60, 45, 30, 20], speed: speed).drawn == "ENTER@4")
    }

    @Test("A vehicle that goes out by less than the margin and comes back has not left", arguments: [2.0, 3, 4, 5])
    func turnsBack(speed: Double) {
        let out = stride(from: 50 + speed, to: 66, by: speed).map { $0 }
        #expect(scene(out + out.reversed() + [45, 40, 35], speed: speed).drawn == "ENTER@4")
    }
}
