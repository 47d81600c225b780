import Glibc
import OdographBeacons
import OdographHarness
import OdographModel
import Testing

/// Simulated days by the signal model of ``BeaconPresence``. For a month, with figures:
///
///     ODOGRAPH_BEACON_DAYS=30 swift test -c release --filter SignalModelTests
@Suite("The presence of beacons by the signal model")
struct SignalModelTests {
    private static let days = getenv("ODOGRAPH_BEACON_DAYS").flatMap { Int(String(cString: $0)) } ?? 1

    /// The result of a simulation.
    private struct Findings {
        var falseEnters = 0
        var falseExits = 0
        var enterSeconds: [Double] = []
        var exitSeconds: [Double] = []
        var couplings = 0
    }

    /// A beacon that is coupled for 3 h and away for 3 h, in turn. While it is away, one that looks the same stands
    /// beside the vehicle 60 times a day.
    private struct Scene {
        var random: SplitMix64
        let intervalMilliseconds: Int64
        let hasForeign: Bool
        var loss = 0.3
        var blockedDecibels = 0.0

        mutating func gaussian() -> Double {
            let radius = (-2 * log(Double.random(in: 0x1p-53..<1, using: &random))).squareRoot()
            return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
        }

        /// Returns the level of an advertisement; nil if it is lost.
        mutating func level(mean: Double, lossShare: Double) -> Int? {
            guard Double.random(in: 0..<1, using: &random) >= lossShare else { return nil }
            let level = mean + 5.9 * gaussian()
            return level < -100 ? nil : Int(level.rounded())
        }

        mutating func run(days: Int) -> Findings {
            var findings = Findings()
            var rule = BeaconRule()
            rule.known = ["trailer": .name("Trailer*")]
            var presence = BeaconPresence(rule: rule, present: [])
            presence.resume(at: 0)
            let turn: Int64 = 3 * 3_600_000
            var foreign: (until: Int64, mean: Double)?
            let foreignShare = 120 * Double(intervalMilliseconds) / 86_400_000
            for now in stride(from: Int64(0), to: Int64(days) * 86_400_000, by: Int(intervalMilliseconds)) {
                let isAboard = (now / turn).isMultiple(of: 2)
                let since = now % turn
                if since < intervalMilliseconds, isAboard { findings.couplings += 1 }
                if (now / intervalMilliseconds).isMultiple(of: 600_000 / intervalMilliseconds) {
                    loss = .random(in: 0...0.6, using: &random)
                    // People or cargo are in the way a quarter of the time.
                    let isBlocked = Int.random(in: 0..<4, using: &random) == 0
                    blockedDecibels = isBlocked ? .random(in: 0...16.5, using: &random) : 0
                }
                var heard: Int?
                if isAboard {
                    heard = level(mean: -78.4 - blockedDecibels, lossShare: loss)
                } else if let passing = foreign, passing.until > now {
                    heard = level(mean: passing.mean, lossShare: loss)
                } else if hasForeign, Double.random(in: 0..<1, using: &random) < foreignShare {
                    // 3 to 10 m away, through two vehicle bodies of 8 dB.
                    let meters = Double.random(in: 3...10, using: &random)
                    let mean = -65.5 - 18.6 * log10(meters) - 16
                    foreign = (now + .random(in: 5_000...90_000, using: &random), mean)
                }
                var events = presence.advance(to: now)
                if let heard, let event = presence.observe("trailer", signalDBm: heard, at: now) {
                    events.append(event)
                }
                for event in events {
                    switch (event.action, isAboard) {
                    case (.enter, true): findings.enterSeconds.append(Double(since) / 1000)
                    case (.enter, false): findings.falseEnters += 1
                    case (.exit, true): findings.falseExits += 1
                    case (.exit, false): if foreign == nil { findings.exitSeconds.append(Double(since) / 1000) }
                    }
                }
                if isAboard { foreign = nil }
            }
            return findings
        }
    }

    @Test(
        "A beacon aboard neither leaves nor is missed, and few events are wrong",
        arguments: [(Int64(300), false), (1000, false), (300, true), (1000, true)])
    func month(intervalMilliseconds: Int64, hasForeign: Bool) {
        var scene = Scene(
            random: SplitMix64(seed: 7), intervalMilliseconds: intervalMilliseconds, hasForeign: hasForeign)
        let findings = scene.run(days: Self.days)
        let enters = findings.enterSeconds.sorted()
        let late = enters.count { $0 > 10 }
        let missed = findings.couplings - enters.count
        if Self.days > 1 {
            print(
                "beacon each \(intervalMilliseconds) ms, \(hasForeign ? "with" : "without") foreign ones, "
                    + "\(Self.days) days: "
                    + "false enters \(findings.falseEnters), false exits \(findings.falseExits), "
                    + "enters \(enters.count) of \(findings.couplings), later than 10 s \(late), "
                    + "median \(enters[enters.count / 2]) s, latest \(enters.last ?? 0) s, "
                    + "latest exit \(findings.exitSeconds.max() ?? 0) s")
        }
        #expect(findings.falseExits == 0)
        // One that looks like a beacon of this vehicle and is as strong cannot be told from it.
        guard !hasForeign else { return }
        #expect(missed == 0)
        #expect((findings.exitSeconds.max() ?? 0) <= 70)
        #expect(findings.falseEnters == 0)
        if intervalMilliseconds <= 300 { #expect(late == 0) }
    }
}
