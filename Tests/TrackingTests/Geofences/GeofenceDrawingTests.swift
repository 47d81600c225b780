import OdographCivilTime
import OdographCrontab
import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Geofences, drawn")
struct GeofenceDrawingTests {
    @Test(
        "Events have the instant of the crossing",
        arguments: [
            ("....iiii....", "ENTER@4 EXIT@8"),
            ("....iiiiiiii", "ENTER@4"),
            ("....iii.....", "CROSS@4"),
            ("....i.......", "CROSS@4"),
            ("....eeee", "CROSS@4"),
            // There and back again is noise.
            ("....e.......", ""),
            ("....i.i.i.i.", ""),
            // Near is neither inside nor outside.
            ("....nnnnnnnn....", ""),
            ("....iiiinnnnnnnnnnnn", "ENTER@4"),
            ("....iiiinnnniiiinnnn....", "ENTER@4 EXIT@16"),
            ("....iiii...iiii....", "ENTER@4 EXIT@15"),
            // Inside at the start.
            ("iiii....", "ENTER@0(initial,started) EXIT@4"),
            ("iii", ""),
            // There was no fix around the crossing.
            ("....giiii", "ENTER@64(moved)"),
            ("....iiiig....", "ENTER@4 EXIT@68(moved)"),
            // Not across a gap.
            ("....geeee", ""),
            // A short silence is not a gap.
            ("....--iiii..-..", "ENTER@5 EXIT@10"),
        ])
    func drawn(drawing: String, expected: String) {
        var scene = FenceScene()
        scene.play(drawing)
        #expect(scene.drawn == expected, "\(drawing)")
    }

    @Test("With one fix a minute two fixes are enough")
    func seldom() {
        var scene = FenceScene()
        scene.interval = 60
        scene.play("....ii..")
        #expect(scene.drawn == "ENTER@220 EXIT@320")
        scene = FenceScene()
        scene.interval = 60
        scene.play("....i...")
        #expect(scene.drawn == "CROSS@220")
    }

    @Test("A pass has the instants of both crossings, and a visit its duration")
    func instants() throws {
        var scene = FenceScene()
        scene.play("....eeee")
        let pass = try #require(scene.events.first)
        #expect(abs(pass.occurredAt.seconds(since: FenceScene.start) - 3.333) < 0.01)
        #expect(abs((pass.exitedAt?.seconds(since: FenceScene.start) ?? 0) - 3.667) < 0.01)
        #expect(pass.confirmedAt == FenceScene.start.advanced(bySeconds: 7))
        scene = FenceScene()
        scene.play("....iiii....")
        let exit = try #require(scene.events.last)
        #expect(abs((exit.dwellSeconds ?? 0) - 3.667) < 0.01)
    }

    @Test("A dwell is published once per visit, after the delay from the crossing, regardless of noise")
    func dwell() {
        var rule = GeofenceRule()
        rule.notifiesOnDwell = true
        rule.loiteringDelaySeconds = 10
        var scene = FenceScene(rule: rule)
        scene.play("....iiiinniii..iiiiiiiiii")
        #expect(scene.drawn == "ENTER@4 DWELL@14")
        #expect(scene.events.last?.dwellSeconds == 10)
        // Away at the deadline, and back: late, with its own instant.
        scene = FenceScene(rule: rule)
        scene.play("....iiiinnnnnnnnnniii")
        #expect(scene.drawn == "ENTER@4 DWELL@14")
        #expect(scene.events.last?.confirmedAt == FenceScene.start.advanced(bySeconds: 18))
        // Away at the deadline, and gone.
        scene = FenceScene(rule: rule)
        scene.play("....iiiinnnnnnnnnnnn....")
        #expect(scene.drawn == "ENTER@4 EXIT@8")
        // By a deadline without a fix.
        scene = FenceScene(rule: rule)
        scene.play("....iiii")
        scene.wait(20)
        scene.fallDue()
        #expect(scene.drawn == "ENTER@4 DWELL@14")
        // By a deadline without a fix, after it may have left.
        scene = FenceScene(rule: rule)
        scene.play("....iiiinnn")
        scene.wait(20)
        scene.fallDue()
        #expect(scene.drawn == "ENTER@4")
    }

    @Test("Overspeed is published at its end, with its peak and its duration")
    func overspeed() throws {
        var rule = GeofenceRule()
        rule.speedLimitMetersPerSecond = 10
        var scene = FenceScene(rule: rule)
        scene.show(metersEast: -150, speed: 8)
        for speed in [8.0, 8, 8, 8, 12, 14, 13, 12, 9.5, 10.5, 9.5, 8, 8, 8, 8] {
            scene.show(metersEast: 0, speed: speed)
        }
        #expect(scene.drawn == "ENTER@1 OVERSPEED@5")
        let event = try #require(scene.events.last)
        #expect(event.peakSpeedMetersPerSecond == 14)
        #expect(event.speedLimitMetersPerSecond == 10)
        // From halfway between 8 and 12 to halfway between 10.5 and 9.5.
        #expect(event.durationSeconds == 6)
        // A single spike does not count, and leaving the geofence ends it.
        scene = FenceScene(rule: rule)
        for speed in [8.0, 8, 8, 8, 40, 8, 8] { scene.show(metersEast: 0, speed: speed) }
        for _ in 0..<5 { scene.show(metersEast: 0, speed: 11) }
        for _ in 0..<5 { scene.show(metersEast: 200, speed: 11) }
        #expect(scene.drawn == "ENTER@0(initial,started) EXIT@12 OVERSPEED@7")
    }

    @Test("A new, a changed and a deleted geofence publish their events for a vehicle inside")
    func edited() {
        var scene = FenceScene()
        scene.replace(with: GeofenceSet())
        scene.play("iiii")
        scene.replace(with: FenceScene.set())
        scene.play("iiii")
        #expect(scene.drawn == "ENTER@4(initial,created)")
        scene.forget()
        // Another name is not another shape.
        scene.replace(with: FenceScene.set(rule: GeofenceRule.named("Yard")))
        scene.play("iiii")
        #expect(scene.drawn.isEmpty)
        scene.replace(with: FenceScene.set(radiusMeters: 60))
        scene.play("iiii")
        #expect(scene.drawn.isEmpty)
        scene.replace(with: GeofenceSet())
        #expect(scene.drawn == "EXIT@16(deleted)")
        scene.forget()
        scene.replace(with: FenceScene.set())
        scene.play("....nnnn")
        scene.replace(with: FenceScene.set(radiusMeters: 100))
        scene.play("nnnn")
        #expect(scene.drawn == "ENTER@24(initial,edited)")
        scene.forget()
        scene.replace(with: FenceScene.set(radiusMeters: 20))
        scene.play("nnnnnn")
        #expect(scene.drawn == "EXIT@28(edited)")
    }

    @Test("Without an initial trigger a vehicle found inside publishes only its exit")
    func initialNone() {
        var rule = GeofenceRule()
        rule.initialTrigger = .none
        var scene = FenceScene(rule: rule)
        scene.play("iiii....")
        #expect(scene.drawn == "EXIT@4")
    }

    @Test("After an interruption the vehicle has moved, or has not")
    func moved() {
        var scene = FenceScene()
        scene.play("....iiii")
        scene.monitor.interrupt()
        scene.wait(3600)
        scene.play("iiii")
        #expect(scene.drawn == "ENTER@4")
        scene.monitor.interrupt()
        scene.play("....")
        #expect(scene.drawn == "ENTER@4 EXIT@3612(moved)")
    }

    @Test("A geofence's own schedule begins and ends the visit")
    func windows() throws {
        var rule = GeofenceRule()
        rule.schedule = try Schedule("1-2 * * * *")
        var scene = FenceScene(rule: rule)
        // The scene begins on the hour.
        scene.play("....iiii")
        #expect(scene.drawn.isEmpty)
        for _ in 0..<200 { scene.play("i") }
        #expect(scene.drawn == "ENTER@60(initial,schedule) EXIT@180(schedule)")
        scene.play("....eeee")
        #expect(scene.events.count == 2)
    }

    @Test("A stationary vehicle is placed at the centre of its stop, regardless of single fixes")
    func standing() {
        var scene = FenceScene()
        for _ in 0..<5 { scene.show(metersEast: -65, stand: -65) }
        for _ in 0..<20 { scene.show(metersEast: -40, stand: -64) }
        #expect(scene.drawn.isEmpty)
        for _ in 0..<4 { scene.show(metersEast: -30) }
        #expect(scene.events.map(\.action) == [.enter])
        for _ in 0..<20 { scene.show(metersEast: -110, stand: -35) }
        #expect(scene.events.map(\.action) == [.enter])
    }

    @Test("A fix whose accuracy is worse than the geofence's size is no evidence of being inside")
    func blind() {
        var scene = FenceScene()
        scene.play("....")
        for _ in 0..<10 { scene.show(metersEast: 0, accuracyMeters: 120) }
        #expect(scene.drawn.isEmpty)
    }

    @Test(
        "A fix with poor accuracy enters a small geofence at half the radius from its edge, or after a longer time",
        arguments: [(24.0, 4.0), (26, 31)])
    func shallow(metersEast: Double, confirmedAfter seconds: Double) {
        var scene = FenceScene()
        scene.show(metersEast: -150)
        for _ in 0..<40 { scene.show(metersEast: metersEast, accuracyMeters: 80) }
        #expect(scene.events.map(\.action) == [.enter])
        #expect(scene.events.first?.confirmedAt == FenceScene.start.advanced(bySeconds: seconds))
    }

    @Test("Exits come first, then events by identifier")
    func order() throws {
        let names = ["d", "b", "a", "c"]
        var set = GeofenceSet(
            names.map { Geofence(identifier: $0, shape: FenceScene.circle()) })
        var scene = FenceScene()
        scene.replace(with: set)
        scene.play("....iiii")
        #expect(scene.events.map(\.identifier) == ["a", "b", "c", "d"])
        scene.forget()
        for name in ["z", "y"] {
            set.add(
                Geofence(
                    identifier: name, shape: FenceScene.circle(at: FenceScene.place(metersEast: -150))))
        }
        scene.replace(with: set)
        scene.play("....")
        #expect(scene.events.map(\.identifier) == ["a", "b", "c", "d", "y", "z"])
        #expect(scene.events.prefix(4).allSatisfy { $0.action == .exit })
    }
}

extension GeofenceRule {
    static func named(_ name: String) -> GeofenceRule {
        var rule = GeofenceRule()
        rule.name = name
        return rule
    }
}
