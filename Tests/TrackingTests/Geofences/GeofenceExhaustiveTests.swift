import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// Every drawing of up to nine letters.
@Suite("Geofences, exhaustively")
struct GeofenceExhaustiveTests {
    private static func drawings(of letters: [Character], length: Int) -> [String] {
        guard length > 0 else { return [""] }
        return drawings(of: letters, length: length - 1).flatMap { start in letters.map { start + String($0) } }
    }

    /// Plays every drawing of a length. Each common beginning is played once, because a scene is a value.
    private static func explore(
        _ letters: [Character], length: Int, from scene: FenceScene = FenceScene(), drawing: String = "",
        look: (FenceScene, String) -> Void
    ) {
        look(scene, drawing)
        guard drawing.count < length else { return }
        for letter in letters {
            var next = scene
            next.play(String(letter))
            explore(letters, length: length, from: next, drawing: drawing + String(letter), look: look)
        }
    }

    /// Returns the second of each letter that is a fix, with the letter.
    private func fixes(_ drawing: String) -> [(second: Double, letter: Character)] {
        var second = 0.0
        var fixes: [(Double, Character)] = []
        for letter in drawing {
            if letter == "g" {
                second += 60
            } else {
                fixes.append((second, letter))
                second += 1
            }
        }
        return fixes
    }

    @Test("Enters and exits alternate, each after enough consistent fixes and not before its crossing")
    func invariants() {
        var wrong: [String] = []
        Self.explore(["i", "n", ".", "g"], length: 8) { scene, drawing in
            // Earlier events were checked with a shorter drawing.
            guard let event = scene.events.last, event.confirmedAt >= scene.now.advanced(bySeconds: -1) else { return }
            let isInside = scene.events.dropLast().last { $0.action != .cross }?.action == .enter
            if event.occurredAt > event.confirmedAt || !isRight(event, fixes(drawing), isInside: isInside) {
                wrong.append(drawing)
            }
        }
        #expect(wrong == [])
    }

    private func isRight(
        _ event: GeofenceEvent, _ fixes: [(second: Double, letter: Character)], isInside: Bool
    ) -> Bool {
        let confirmed = event.confirmedAt.seconds(since: FenceScene.start)
        let until = fixes.filter { $0.second <= confirmed }
        switch event.action {
        case .enter:
            return !isInside && agree(until.suffix(while: { $0 == "i" }))
                && event.isInitial == !until.contains { $0.letter != "i" }
        case .exit:
            return isInside && agree(until.suffix(while: { $0 != "i" }))
                && until.suffix(while: { $0 == "." }).count >= 1
        case .cross:
            return !isInside && until.contains { $0.letter == "i" } && agree(until.suffix(while: { $0 != "i" }))
                && event.exitedAt.map { $0 >= event.occurredAt } ?? false
        case .dwell, .overspeed: return false
        }
    }

    /// Whether there are three fixes over three seconds, or two over ten.
    private func agree(_ run: [(second: Double, letter: Character)]) -> Bool {
        guard let first = run.first, let last = run.last else { return false }
        return run.count >= 2 && last.second - first.second >= 3
            && (run.count >= 3 || last.second - first.second >= 10)
    }

    @Test("Without gaps the events match the drawing")
    func oracle() {
        var wrong: [String] = []
        var start = FenceScene()
        start.play(".")
        Self.explore(["i", "n", "."], length: 9, from: start, drawing: ".") { scene, drawing in
            if scene.events.filter({ $0.action != .cross }).map(\.action) != expected(drawing) { wrong.append(drawing) }
        }
        #expect(wrong == [])
    }

    /// Returns the expected actions: after four consistent letters (three seconds); the last two outside are far.
    private func expected(_ drawing: String) -> [GeofenceEvent.Action] {
        var actions: [GeofenceEvent.Action] = []
        var run = 0
        var last: Character = "."
        for letter in drawing {
            let isInside = actions.last == .enter
            run = (letter == "i") != isInside ? run + 1 : 0
            if run >= 4, !isInside || letter == "." && last == "." {
                actions.append(isInside ? .exit : .enter)
                run = 0
            }
            last = letter
        }
        return actions
    }

    @Test("Saving and loading after any letter does not change the events", arguments: 1...3)
    func saved(length: Int) throws {
        var rule = GeofenceRule()
        rule.notifiesOnDwell = true
        rule.loiteringDelaySeconds = 3.5
        let set = FenceScene.set(rule: rule)
        for drawing in Self.drawings(of: ["i", "n", ".", "e"], length: length) where drawing.contains("i") {
            var whole = FenceScene(rule: rule)
            whole.play("..." + drawing + "....")
            var parts = FenceScene(rule: rule)
            for letter in "..." + drawing + "...." {
                let data = try JSONEncoder().encode(parts.monitor)
                var loaded = try JSONDecoder().decode(GeofenceMonitor.self, from: data)
                guard loaded.attach(set, zone: .utc), loaded == parts.monitor else {
                    Issue.record("not the same after \(letter) of \(drawing)")
                    return
                }
                parts.monitor = loaded
                parts.play(String(letter))
            }
            if parts.events != whole.events { Issue.record("\(drawing): \(parts.drawn), not \(whole.drawn)") }
        }
    }

    @Test("A loaded state is inactive until it has its set, and then continues")
    func asleep() throws {
        var scene = FenceScene()
        scene.play("....iiii")
        let data = try JSONEncoder().encode(scene.monitor)
        scene.monitor = try JSONDecoder().decode(GeofenceMonitor.self, from: data)
        #expect(scene.monitor.dormant != nil)
        let isAdopted = scene.monitor.attach(GeofenceSet(), zone: .utc)
        #expect(!isAdopted)
        scene.play("....")
        #expect(scene.drawn == "ENTER@4")
        let again = try JSONEncoder().encode(scene.monitor)
        #expect(try JSONDecoder().decode(GeofenceMonitor.self, from: again).dormant == scene.monitor.dormant)
        // A set with another content is another set.
        scene.replace(with: FenceScene.set(radiusMeters: 55))
        scene.play("....")
        #expect(scene.drawn == "ENTER@4 EXIT@12(edited)")
    }
}

extension [(second: Double, letter: Character)] {
    /// The elements at the end whose letters match a predicate.
    fileprivate func suffix(while predicate: (Character) -> Bool) -> [(second: Double, letter: Character)] {
        Array(reversed().prefix { predicate($0.letter) }.reversed())
    }
}
