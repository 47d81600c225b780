import CivilTime
import Testing

@testable import Tracking

/// Somebody comes out of a building and waits before he goes: the receiver sees better at once.
@Suite("Coming out")
struct ComingOutTests {
    private static let seeds = 1...6 as ClosedRange<UInt64>
    private static let indoorMeters = 12.0
    private static let outdoorMeters = 4.0

    /// A drive to a building, a walk into it and a stay there.
    private func stay(seed: UInt64, onFoot: Bool = true) -> SimulatedDrive {
        var drive = SimulatedDrive(seed: seed)
        drive.stand(seconds: 300)
        drive.drive(seconds: 300)
        if onFoot {
            drive.stand(seconds: 15)
            drive.walk(seconds: 90)
        }
        drive.accuracyMeters = Self.indoorMeters
        drive.stand(seconds: 2400)
        return drive
    }

    /// Twenty metres out of the door, and a wait there.
    private func comeOut(_ drive: inout SimulatedDrive, waitSeconds: Double) {
        drive.accuracyMeters = Self.outdoorMeters
        drive.walk(seconds: 15)
        drive.stand(seconds: waitSeconds)
    }

    @Test("Who comes out and waits beside the vehicle is told to leave within a minute, long before he goes")
    func told() throws {
        for seed in Self.seeds {
            var drive = stay(seed: seed)
            let out = drive.now
            comeOut(&drive, waitSeconds: 100)
            let ride = drive.now
            drive.drive(seconds: 300)
            var tracker = Tracker()
            let events = tracker.timeline(from: drive.fixes)
            let first = try #require(events.latest.first { $0.isWay && $0.start >= out.advanced(bySeconds: -60) })
            let told = try #require(events.first { $0.id == first.id && $0.isWay })
            #expect(told.lastUpdate.seconds(since: told.start) <= 60, "seed \(seed)")
            #expect(told.lastUpdate < ride, "seed \(seed)")
            #expect(abs(first.start.seconds(since: out)) <= 30, "seed \(seed)")
            #expect(events.latest.last?.letter == "D")
        }
    }

    @Test(
        "Who goes in again has stayed: the event keeps its identifier and gets its true kind", arguments: [true, false])
    func takenBack(goesIn: Bool) throws {
        for seed in Self.seeds {
            var drive = stay(seed: seed)
            let out = drive.now
            comeOut(&drive, waitSeconds: goesIn ? 60 : 400)
            if goesIn {
                drive.turnRound()
                drive.walk(seconds: 15)
            }
            drive.accuracyMeters = Self.indoorMeters
            drive.stand(seconds: 600)
            var tracker = Tracker()
            let events = tracker.timeline(from: drive.fixes)
            let told = try #require(events.first { $0.isWay && $0.lastUpdate > out })
            let latest = events.latest
            #expect(latest.first { $0.id == told.id }?.letter == "S", "seed \(seed)")
            #expect(latest.allSatisfy { !$0.isWay || $0.start < out.advanced(bySeconds: -600) }, "seed \(seed)")
            for (earlier, later) in zip(latest, latest.dropFirst()) { #expect(earlier.end == later.start) }
        }
    }

    @Test("A parked vehicle whose receiver sees now better, now worse, tells nothing")
    func parked() {
        for seed in Self.seeds.prefix(3) {
            let (drive, since) = alternating(stay(seed: seed, onFoot: false), between: [3, 5, 8, 15, 30])
            var tracker = Tracker()
            #expect(tracker.timeline(from: drive.fixes).allSatisfy { !$0.isWay || $0.start < since }, "seed \(seed)")
        }
    }

    @Test("Who sits now at the window, now in the middle of the house, tells nothing")
    func atTheWindow() {
        for seed in Self.seeds.prefix(3) {
            let (drive, since) = alternating(stay(seed: seed), between: [6, 12, 20])
            var tracker = Tracker()
            #expect(tracker.timeline(from: drive.fixes).allSatisfy { !$0.isWay || $0.start < since }, "seed \(seed)")
        }
    }

    /// Hours in which the accuracy, and with it the error, changes in steps.
    private func alternating(
        _ stay: SimulatedDrive, between accuracies: [Double]
    ) -> (drive: SimulatedDrive, since: Timestamp) {
        var drive = stay
        let since = drive.now.advanced(bySeconds: -2400 + 60)
        for step in 0..<30 {
            drive.accuracyMeters = accuracies[(step * step + step / 3) % accuracies.count]
            drive.stand(seconds: 240)
        }
        return (drive, since)
    }
}

extension TimelineEvent {
    fileprivate var isWay: Bool { if case .transport = kind { true } else { false } }
}
