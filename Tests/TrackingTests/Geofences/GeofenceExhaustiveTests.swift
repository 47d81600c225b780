import CivilTime
import FoundationEssentials
import Geodesy
import Harness
import Testing

@testable import Tracking

/// Every drawing of up to eight letters.
@Suite("Geofences, exhaustively")
struct GeofenceExhaustiveTests {
    private static func drawings(of letters: [Character], length: Int) -> [String] {
        guard length > 0 else { return [""] }
        return drawings(of: letters, length: length - 1).flatMap { start in letters.map { start + String($0) } }
    }

    private func events(_ drawing: String) -> [GeofenceEvent] {
        var scene = FenceScene()
        scene.play(drawing)
        return scene.events
    }

    /// The second of each letter that is a fix, with its letter.
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

    @Test("Enters and exits alternate, each after enough fixes that say so, none before it happened", arguments: 1...8)
    func invariants(length: Int) {
        for drawing in Self.drawings(of: ["i", "n", ".", "g"], length: length) {
            let fixes = fixes(drawing)
            var isInside = false
            for event in events(drawing) {
                let confirmed = event.confirmedAt.seconds(since: FenceScene.start)
                let until = fixes.filter { $0.second <= confirmed }
                #expect(event.occurredAt <= event.confirmedAt, "\(drawing)")
                switch event.action {
                case .enter:
                    #expect(!isInside, "\(drawing)")
                    isInside = true
                    #expect(agree(until.suffix(while: { $0 == "i" })), "\(drawing)")
                    #expect(event.isInitial == !until.contains { $0.letter != "i" }, "\(drawing)")
                case .exit:
                    #expect(isInside, "\(drawing)")
                    isInside = false
                    #expect(agree(until.suffix(while: { $0 == "." })), "\(drawing)")
                case .cross:
                    #expect(!isInside, "\(drawing)")
                    #expect(event.exitedAt.map { $0 >= event.occurredAt } ?? false, "\(drawing)")
                    #expect(until.contains { $0.letter == "i" }, "\(drawing)")
                    #expect(agree(until.suffix(while: { $0 != "i" })), "\(drawing)")
                case .dwell, .overspeed: Issue.record("\(drawing)")
                }
            }
        }
    }

    /// Three fixes and three seconds, or two where they come seldom.
    private func agree(_ run: [(second: Double, letter: Character)]) -> Bool {
        guard let first = run.first, let last = run.last else { return false }
        return run.count >= 2 && last.second - first.second >= 3
            && (run.count >= 3 || last.second - first.second >= 10)
    }

    @Test("Without silences, it is what the drawing says", arguments: 4...8)
    func oracle(length: Int) {
        for drawing in Self.drawings(of: ["i", "n", "."], length: length) {
            let told = events("." + drawing).filter { $0.action != .cross }.map(\.action)
            #expect(told == expected("." + drawing), "\(drawing)")
        }
    }

    /// Four letters in a row that say so, at a second each, are three seconds.
    private func expected(_ drawing: String) -> [GeofenceEvent.Action] {
        var actions: [GeofenceEvent.Action] = []
        var run = 0
        for letter in drawing {
            let isInside = actions.last == .enter
            run = letter == (isInside ? "." : "i") ? run + 1 : 0
            if run == 4 {
                actions.append(isInside ? .exit : .enter)
                run = 0
            }
        }
        return actions
    }

    @Test("Saved and loaded after any letter, what is told is the same", arguments: 1...4)
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
                let isAdopted = loaded.adopt(set, zone: .utc)
                #expect(isAdopted)
                #expect(loaded == parts.monitor)
                parts.monitor = loaded
                parts.play(String(letter))
            }
            #expect(parts.events == whole.events, "\(drawing)")
        }
    }

    @Test("A loaded state sleeps until it has its set, and goes on from what it knew")
    func asleep() throws {
        var scene = FenceScene()
        scene.play("....iiii")
        let data = try JSONEncoder().encode(scene.monitor)
        scene.monitor = try JSONDecoder().decode(GeofenceMonitor.self, from: data)
        #expect(!scene.monitor.isAwake)
        let isAdopted = scene.monitor.adopt(GeofenceSet(), zone: .utc)
        #expect(!isAdopted)
        scene.play("....")
        #expect(scene.drawn == "ENTER@4")
        let again = try JSONEncoder().encode(scene.monitor)
        #expect(try JSONDecoder().decode(GeofenceMonitor.self, from: again).sleeping == scene.monitor.sleeping)
        // A set that is not the one that it knew is another one.
        scene.replace(with: FenceScene.set(radiusMeters: 55))
        scene.play("....")
        #expect(scene.drawn == "ENTER@4 EXIT@12(edited)")
    }
}

extension [(second: Double, letter: Character)] {
    /// The elements at the end whose letters are alike in something.
    fileprivate func suffix(while predicate: (Character) -> Bool) -> [(second: Double, letter: Character)] {
        Array(reversed().prefix { predicate($0.letter) }.reversed())
    }
}
