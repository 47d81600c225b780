import OdographCivilTime
import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

/// A timeline drawn with a letter for each half minute: `S` stationary, `D` driving, `W` walking, `-` no positions.
@Suite("The timeline, drawn")
struct TimelineDrawingTests {
    private static let letterSeconds = 30.0

    private func events(_ drawing: String, seed: UInt64, interval: Double) -> (drive: SimulatedDrive, [TimelineEvent]) {
        var drive = SimulatedDrive(seed: seed)
        drive.interval = interval
        for letter in drawing {
            switch letter {
            case "D": drive.drive(seconds: Self.letterSeconds)
            case "W": drive.walk(seconds: Self.letterSeconds)
            case "S": drive.stand(seconds: Self.letterSeconds)
            default: drive.silence(seconds: Self.letterSeconds)
            }
        }
        return (drive, drive.fixes.timeline().latest)
    }

    /// Draws events with the dominant kind of each half minute.
    private func drawn(_ events: [TimelineEvent], until end: Timestamp) -> String {
        guard let zero = events.first?.start else { return "" }
        let count = Int((end.seconds(since: zero) / Self.letterSeconds).rounded())
        return String(
            (0..<count).map { index -> Character in
                let middle = zero.advanced(bySeconds: (Double(index) + 0.5) * Self.letterSeconds)
                return events.last { $0.start <= middle }?.letter ?? "?"
            })
    }

    @Test(
        "Trips and stops are separated where they happened",
        arguments: [
            ("SSSSSSDDDDDDDDDDSSSSSSSS", 1.0),
            ("SSSSSSDDDDDDDDDDSSSSSSSSSSSSDDDDDDDDDDSSSSSS", 1.0),
            ("DDDDDDDDDDDDSSSSSSSS", 1.0),
            ("SSSSSSSSWWWWWWWWSSSSSSSS", 1.0),
            ("SSSSSSSSWWWWDDDDDDDDDDWWWWSSSSSSSS", 1.0),
            ("SSSSSSDDDDDDDDDDSSSSSSSS", 5.0),
            ("SSSSSSDDDDDDDDDDSSSSSSSS", 0.2),
        ])
    func cut(drawing: String, interval: Double) {
        for seed in 1...5 as ClosedRange<UInt64> {
            let (drive, events) = events(drawing, seed: seed, interval: interval)
            let result = drawn(events, until: drive.now)
            // A boundary may be in the next half minute.
            #expect(result.count == drawing.count)
            #expect(runs(result) == runs(drawing), "\(result)")
            let wrong = zip(result, drawing).count { $0 != $1 }
            #expect(wrong <= runs(drawing).count - 1, "\(result) for \(drawing)")
        }
    }

    @Test(
        "A halt at a light, and a short queue, belong to the trip", arguments: ["DDDDDDSSDDDDDD", "DDDDDDSSSDDDDDDD"])
    func halt(drawing: String) {
        for seed in 1...5 as ClosedRange<UInt64> {
            let (_, events) = events("SSSSSS" + drawing + "SSSSSS", seed: seed, interval: 1)
            #expect(events.map(\.letter) == ["S", "D", "S"], "\(events.map(\.letter))")
        }
    }

    @Test("A stop that turns out short is withdrawn, and the trip continues without a gap")
    func takenBack() {
        let (_, events) = events("SSSSSSDDDDDDSSSSSSDDDDDDSSSSSS", seed: 3, interval: 1)
        #expect(events.map(\.letter) == ["S", "D", "S"])
    }

    @Test("A short gap belongs to the trip, a long one on the move is off the grid, one in a garage is a stop")
    func silences() {
        #expect(events("SSSSSSDDDDDD--DDDDDDSSSSSS", seed: 1, interval: 1).1.map(\.letter) == ["S", "D", "S"])
        #expect(
            events("SSSSSSSS" + String(repeating: "-", count: 60) + "SSSSSSSS", seed: 1, interval: 1).1.map(\.letter)
                == ["S"])
        let garage = events(
            "SSSSSSDDDDDD" + String(repeating: "-", count: 60) + "SSSSSSDDDDDDSSSSSS", seed: 1, interval: 1)
        #expect(garage.1.map(\.letter) == ["S", "D", "S", "D", "S"])
    }

    private func runs(_ text: String) -> [Character] {
        text.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}

extension TimelineEvent {
    /// `S` stop, `D` drive, `W` on foot, `B` bicycle, `-` off the grid, `?` unknown.
    var letter: Character {
        switch kind {
        case .stationary: "S"
        case .offTheGrid: "-"
        case .unknown: "?"
        case .transport(let transport):
            switch transport.mode {
            case .walking, .running: "W"
            case .bicycle: "B"
            default: "D"
            }
        }
    }
}
