import OdographCivilTime
import OdographCrontab
import OdographHarness
import Testing

@Suite("Damaged expressions")
struct MutationTests {
    private static let seeds = [
        "* 10-20 * * 1,2,3,4,5", "*/5 8-18/2,20 1-15,L JAN-JUN MON-FRI", "0 0 29 2 *", "* * */7 2 5#5", "@weekly",
        "59/15 * * * FRI-SUN", "* 22-6 * * *", "1–5 * * * *",
    ]
    private static let pieces = [
        "*", "/", "-", ",", "#", "L", "?", " ", "\t", "0", "7", "60", "99999999", "SUN", "é", "\u{0}", "\n",
    ]

    @Test("Ten thousand mutations are parsed or refused with a message, and parsed ones have right changes")
    func mutations() throws {
        var random = SplitMix64(seed: 20_000)
        let zone = try ZoneRules(identifier: "New York", posix: "EST5EDT,M3.2.0,M11.1.0")
        let instant = Timestamp(millisecondsSinceEpoch: 1_795_252_502_000)
        var parsed = 0
        for _ in 0..<10_000 {
            let text = mutated(&random)
            do throws(ScheduleError) {
                let schedule = try Schedule(text)
                parsed += 1
                guard let next = schedule.nextChange(after: instant, in: zone) else { continue }
                let isOpen = schedule.isOpen(at: instant, in: zone)
                let before = schedule.isOpen(at: next.advanced(byMilliseconds: -1), in: zone)
                if next <= instant || schedule.isOpen(at: next, in: zone) == isOpen || before != isOpen {
                    Issue.record("\(text): \(next)")
                }
            } catch {
                if error.reason.isEmpty || error.description.utf8.count >= 2000 { Issue.record("\(text): \(error)") }
            }
        }
        #expect(parsed > 500)
    }

    private func mutated(_ random: inout SplitMix64) -> String {
        var text = Array(Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)].unicodeScalars)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...text.count, using: &random)
            if place < text.count && Bool.random(using: &random) { text.remove(at: place) }
            if Bool.random(using: &random) {
                let piece = Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
                text.insert(contentsOf: piece.unicodeScalars, at: min(place, text.count))
            }
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text)
        return String(result)
    }
}
