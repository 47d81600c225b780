import OdographCivilTime
import Testing

@testable import OdographTracking

/// A person comes out of a building and waits before the trip. The reception improves at once.
@Suite("Indoor exits")
struct IndoorExitTests {
    private static let seeds = 1...6 as ClosedRange<UInt64>
    private static let indoorMeters = 12.0
    private static let outdoorMeters = 4.0

    /// Returns a drive to a building, a walk into it and a stop there.
    private func stay(seed: UInt64, onFoot: Bool = true, seconds: Double = 2400) -> SimulatedDrive {
        var drive = SimulatedDrive(seed: seed)
        drive.stand(seconds: 300)
        drive.drive(seconds: 300)
        if onFoot {
            drive.stand(seconds: 15)
            drive.walk(seconds: 90)
        }
        drive.accuracyMeters = Self.indoorMeters
        drive.stand(seconds: seconds)
        return drive
    }

    /// Walks twenty metres out of the door and waits there.
    private func comeOut(_ drive: inout SimulatedDrive, waitSeconds: Double) {
        drive.accuracyMeters = Self.outdoorMeters
        drive.walk(seconds: 15)
        drive.stand(seconds: waitSeconds)
    }

    @Test("An exit with a wait beside the vehicle is published as a departure within a minute, before the drive")
    func told() throws {
        for seed in Self.seeds {
            var drive = stay(seed: seed)
            let out = drive.now
            comeOut(&drive, waitSeconds: 100)
            let ride = drive.now
            drive.drive(seconds: 300)
            let events = drive.fixes.timeline()
            let first = try #require(events.latest.first { $0.isWay && $0.start >= out.advanced(bySeconds: -60) })
            let told = try #require(events.first { $0.id == first.id && $0.isWay })
            #expect(told.lastUpdate.seconds(since: told.start) <= 60, "seed \(seed)")
            #expect(told.lastUpdate < ride, "seed \(seed)")
            #expect(abs(first.start.seconds(since: out)) <= 30, "seed \(seed)")
            #expect(events.latest.last?.letter == "D")
        }
    }

    @Test(
        "A person who goes back inside has not left, and the departure is withdrawn", arguments: [true, false])
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
            let events = drive.fixes.timeline()
            let told = try #require(events.first { $0.isWay && $0.lastUpdate > out })
            let latest = events.latest
            let last = try #require(events.last { $0.id == told.id })
            #expect(last.isWithdrawn || last.letter == "S", "seed \(seed)")
            #expect(latest.allSatisfy { !$0.isWay || $0.start < out.advanced(bySeconds: -600) }, "seed \(seed)")
            for (earlier, later) in zip(latest, latest.dropFirst()) { #expect(earlier.end == later.start) }
        }
    }

    @Test("Changing reception of a parked vehicle publishes nothing")
    func parked() {
        let accuracies = [3.0, 5, 8, 15, 30]
        for seed in Self.seeds.prefix(3) {
            var drive = stay(seed: seed, onFoot: false)
            let since = drive.now.advanced(bySeconds: -600)
            for step in 0..<30 {
                drive.accuracyMeters = accuracies[(step * step + step / 3) % accuracies.count]
                drive.stand(seconds: 240)
            }
            expectNothing(of: drive, since: since, seed: seed)
        }
    }

    @Test("Repeated walks to a window with better reception publish nothing")
    func atTheWindow() {
        for seed in Self.seeds {
            var drive = stay(seed: seed, seconds: 300)
            let since = drive.now
            for step in 0..<30 {
                drive.turnRound()
                drive.walk(seconds: 10)
                drive.accuracyMeters = step % 2 == 0 ? 5 : Self.indoorMeters
                drive.stand(seconds: 200)
            }
            expectNothing(of: drive, since: since, seed: seed)
        }
    }

    private func expectNothing(of drive: SimulatedDrive, since: Timestamp, seed: UInt64) {
        let ways = drive.fixes.timeline().filter { $0.isWay && $0.start > since }
        #expect(ways.isEmpty, "seed \(seed): \(ways.map { $0.start.seconds(since: since) })")
    }
}

extension TimelineEvent {
    fileprivate var isWay: Bool { if case .transport = kind { true } else { false } }
}
