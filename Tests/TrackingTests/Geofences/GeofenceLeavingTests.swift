import CivilTime
import Geodesy
import Testing

@testable import Tracking

/// The fence has a radius of 50 m, so that it is left 20 m beyond, and the fixes are right to 4 m.
@Suite("Leaving a geofence")
struct GeofenceLeavingTests {
    /// Shows a vehicle that has been inside, and then is so far from the centre, with a speed that the receiver tells.
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
        "Whoever drives away has left sooner where the receiver's speed says the same", arguments: [4.0, 8, 12, 20, 30])
    func drivesAway(speed: Double) throws {
        let places = (1...20).map { 40 + Double($0) * speed }
        let told = try #require(delay(scene(places, speed: speed)))
        let untold = try #require(delay(scene(places, speed: nil)))
        // Three fixes and three seconds in any case, and beyond that what it takes to get out of the margin.
        #expect(told >= 3)
        #expect(told <= max(4, 20 / speed + 1))
        #expect(told <= untold)
        if speed < 10 { #expect(told < untold) }
    }

    @Test(
        "Whoever is shifted outwards but does not drive away has not left",
        arguments: [
            // Stands, by its speed.
            (0.5, 4.0),
            // Drives along the edge while its position drifts off.
            (12, 4.0),
            (20, 6),
        ] as [(Double, Double)])
    func shifted(speed: Double, drift: Double) {
        // To where neither the margin alone nor the accuracy alone would hold it.
        let places = stride(from: 50 + drift, through: 73, by: drift).map { $0 }
        #expect(scene(places + [73, 73, 73, 72, 60, 45, 30, 20], speed: speed).drawn == "ENTER@4")
    }

    @Test("Whoever goes out less than the margin and comes back has not left", arguments: [2.0, 3, 4, 5])
    func turnsBack(speed: Double) {
        let out = stride(from: 50 + speed, to: 66, by: speed).map { $0 }
        #expect(scene(out + out.reversed() + [45, 40, 35], speed: speed).drawn == "ENTER@4")
    }
}
