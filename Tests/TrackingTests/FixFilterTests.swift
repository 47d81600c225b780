import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The fix filter")
struct FixFilterTests {
    private func verdicts(_ fixes: [Fix]) -> [FixFilter.Verdict] {
        var filter = FixFilter()
        return fixes.map {
            filter.evaluate($0, desiredAccuracyMeters: 200, limits: FixFilter.StepLimits(rule: FilterRule()))
        }
    }

    @Test("Rejects a fix that is worse than the desired accuracy")
    func inaccurate() {
        var track = Track()
        track.go(seconds: 1, metersPerSecond: 0, accuracyMeters: 201)
        track.go(seconds: 1, metersPerSecond: 0, accuracyMeters: 200)
        #expect(verdicts(track.fixes) == [.rejected(.inaccurate), .accepted])
    }

    @Test("Rejects 0/0, which receivers report without a position")
    func nullIsland() {
        var track = Track(latitudeDegrees: 0, longitudeDegrees: 0)
        track.stand(seconds: 1)
        #expect(verdicts(track.fixes) == [.rejected(.nullIsland)])
    }

    @Test("Rejects duplicates")
    func duplicate() {
        var track = Track()
        track.stand(seconds: 1)
        #expect(verdicts(track.fixes + track.fixes) == [.accepted, .rejected(.duplicate)])
    }

    @Test("Rejects a fix that was delayed for too long")
    func stale() {
        var track = Track()
        track.stand(seconds: 1)
        var fix = track.fixes[0]
        fix.received.systemTime = fix.timestamp.advanced(bySeconds: 31)
        #expect(verdicts([fix]) == [.rejected(.stale)])
        fix.received.isSystemTimeTrusted = false
        #expect(verdicts([fix]) == [.accepted])
    }

    @Test("Rejects a single wild fix and accepts the next good one")
    func wild() {
        var track = Track()
        track.go(seconds: 5, metersPerSecond: 10)
        track.add(track.end.destination(headingDegrees: 10, distanceMeters: 90_000), speed: 10)
        track.pause(seconds: 1)
        track.go(seconds: 5, metersPerSecond: 10)
        let all = verdicts(track.fixes)
        #expect(all.filter { $0 == .rejected(.implausible) }.count == 1)
        #expect(all.filter { $0 == .accepted }.count == 10)
    }

    @Test("Rejects an impossible speed, even if it is repeated")
    func absurdSpeed() {
        var track = Track()
        track.go(seconds: 5, metersPerSecond: 10)
        for _ in 0..<20 {
            track.add(track.end, speed: 300)
            track.pause(seconds: 1)
        }
        #expect(verdicts(track.fixes).suffix(20).allSatisfy { $0 == .rejected(.implausible) })
    }

    @Test("A capture's wild date is rejected, and a pause of days with its distance is accepted")
    func wildDate() {
        var track = Track()
        track.go(seconds: 5, metersPerSecond: 10)
        track.pause(seconds: 5e8)
        track.go(seconds: 1, metersPerSecond: 10)
        track.pause(seconds: -5e8)
        track.go(seconds: 5, metersPerSecond: 10)
        track.pause(seconds: 300_000)
        track.go(seconds: 5, metersPerSecond: 10)
        let replayed = track.fixes.map { fix in
            var fix = fix
            fix.isMock = true
            return fix
        }
        let accepted = [FixFilter.Verdict](repeating: .accepted, count: 5)
        let doubted = [FixFilter.Verdict](repeating: .rejected(.implausible), count: 2)
        let expected: [FixFilter.Verdict] = [accepted, Array(doubted[..<1]), accepted, doubted, Array(accepted[..<3])]
            .flatMap { $0 }
        #expect(verdicts(replayed) == expected)
    }

    @Test("Rejects a jump that the reported speed does not explain")
    func hop() {
        var track = Track()
        track.go(seconds: 5, metersPerSecond: 1)
        track.add(track.end.destination(headingDegrees: 10, distanceMeters: 60), speed: 1)
        #expect(verdicts(track.fixes).last == .rejected(.implausible))
    }

    @Test("Accepts consistent fixes at another place, without distance to them")
    func carried() {
        var track = Track()
        track.go(seconds: 5, metersPerSecond: 10)
        var other = Track(latitudeDegrees: 41, longitudeDegrees: -3, start: "2026-11-21T09:00:10Z")
        other.go(seconds: 5, metersPerSecond: 10)
        let all = verdicts(track.fixes + other.fixes)
        #expect(
            Array(all[5...]) == [
                .rejected(.implausible), .rejected(.implausible), .acceptedAfterJump, .accepted, .accepted,
            ])
        var tracker = Tracker()
        _ = tracker.locations(from: track.fixes + other.fixes)
        #expect(tracker.odometerMeters < 200)
    }

    @Test("A receiver that holds its position and then jumps to the current one is accepted")
    func held() {
        var track = Track()
        track.go(seconds: 10, metersPerSecond: 10)
        let held = track.end
        for _ in 0..<12 {
            track.add(held, speed: 10)
            track.pause(seconds: 1)
        }
        track.add(held.destination(headingDegrees: 90, distanceMeters: 130), speed: 10)
        #expect(verdicts(track.fixes).allSatisfy { $0 == .accepted })
    }

    @Test("Rejects time that goes backwards, until it continues from there for long enough")
    func backwards() {
        var track = Track(start: "2026-11-21T09:00:00Z")
        track.stand(seconds: 3)
        var earlier = Track(start: "2026-11-20T09:00:00Z")
        earlier.stand(seconds: 12)
        let all = verdicts(track.fixes + earlier.fixes)
        #expect(all[3..<12].allSatisfy { $0 == .rejected(.timeBackwards) })
        #expect(all[12] == .acceptedAfterJump)
    }
}
