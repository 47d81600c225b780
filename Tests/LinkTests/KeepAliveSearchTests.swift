import OdographHarness
import Testing

@testable import OdographLink

@Suite("The search for the keep-alive interval")
struct KeepAliveSearchTests {
    private static func limits(_ shortest: Int64 = 60, _ longest: Int64 = 1770) -> KeepAliveLimits {
        KeepAliveLimits(
            shortestMilliseconds: shortest * 1000, longestMilliseconds: longest * 1000,
            answerMilliseconds: 10_000...30_000)
    }

    /// A parked vehicle on a network that forgets a connection after a silence, and its costs.
    private struct Parked {
        var search: KeepAliveSearch
        /// The silence in seconds after which the network forgets a connection.
        var limit: Double
        var checks = 0
        var failures = 0
        var elapsedSeconds = 0.0

        /// Runs until a time. Each check is late by up to 20 ms.
        mutating func run(untilSeconds end: Double, using generator: inout SplitMix64) {
            while elapsedSeconds < end {
                let silence = search.silenceMilliseconds + Int64.random(in: 0...20, using: &generator)
                elapsedSeconds += Double(silence) / 1000
                checks += 1
                if Double(silence) / 1000 < limit {
                    search.handleProof(silenceMilliseconds: silence)
                } else {
                    failures += 1
                    search.handleFailure(silenceMilliseconds: silence)
                }
            }
        }

        var bytes: Double { Double(checks) * 214 + Double(failures) * 8000 }
    }

    @Test("Without knowledge, the shortest silence is in use, and each answer lengthens it by half, up to the longest")
    func climbs() {
        var search = KeepAliveSearch(limits: Self.limits(60, 300))
        var used: [Int64] = []
        for _ in 0..<7 {
            used.append(search.silenceMilliseconds / 1000)
            search.handleProof(silenceMilliseconds: search.silenceMilliseconds)
        }
        #expect(used == [60, 90, 135, 202, 300, 300, 300])
    }

    @Test("After a failure the search narrows, and then uses the proven silence")
    func narrows() throws {
        var search = KeepAliveSearch(limits: Self.limits())
        var used: [Int64] = []
        for _ in 0..<12 {
            let silence = search.silenceMilliseconds
            used.append(silence / 1000)
            if silence < 600_000 {
                search.handleProof(silenceMilliseconds: silence)
            } else {
                search.handleFailure(silenceMilliseconds: silence)
            }
        }
        #expect(used == [60, 90, 135, 202, 303, 455, 683, 558, 617, 587, 587, 587])
    }

    @Test(
        "Behind a NAT the interval ends within a tenth below its limit, and the costs of a month keep the bar",
        arguments: [30.0, 45, 120, 180, 300, 433, 600, 900, 1500])
    func cost(limit: Double) {
        var generator = SplitMix64(seed: UInt64(limit))
        var vehicle = Parked(search: KeepAliveSearch(limits: Self.limits(20)), limit: limit)
        vehicle.run(untilSeconds: 86_400, using: &generator)
        let interval = Double(vehicle.search.silenceMilliseconds) / 1000
        #expect(limit / interval <= 1.1 + 0.02 && interval < limit)
        if limit >= 600 { #expect(vehicle.bytes <= 100_000, "\(vehicle)") }
        let first = vehicle.bytes
        vehicle.run(untilSeconds: 30 * 86_400, using: &generator)
        let forced = 86_400 / limit * 214
        let mean = (vehicle.bytes - first) / 29
        #expect(mean <= 1.2 * forced, "\(mean / forced)")
        if limit >= 600 { #expect(mean <= 100_000) }
    }

    @Test("A failure that was only a loss of coverage is corrected")
    func corrects() {
        var generator = SplitMix64(seed: 5)
        var vehicle = Parked(search: KeepAliveSearch(limits: Self.limits()), limit: 900)
        vehicle.run(untilSeconds: 300, using: &generator)
        vehicle.search.handleFailure(silenceMilliseconds: vehicle.search.silenceMilliseconds)
        let narrowed = vehicle.search.silenceMilliseconds
        vehicle.run(untilSeconds: 20 * 86_400, using: &generator)
        #expect(narrowed < 300_000)
        #expect(vehicle.search.silenceMilliseconds > 818_000)
    }

    @Test("If the network's limit becomes shorter, the next interval is the shortest, and the search begins again")
    func shortens() {
        var generator = SplitMix64(seed: 6)
        var vehicle = Parked(search: KeepAliveSearch(limits: Self.limits()), limit: 900)
        vehicle.run(untilSeconds: 86_400, using: &generator)
        vehicle.limit = 120
        let failures = vehicle.failures
        vehicle.search.handleFailure(silenceMilliseconds: vehicle.search.silenceMilliseconds)
        #expect(vehicle.search.silenceMilliseconds == 60_000)
        vehicle.run(untilSeconds: 2 * 86_400, using: &generator)
        let interval = vehicle.search.silenceMilliseconds
        #expect(interval < 120_000 && interval > 107_000)
        #expect(vehicle.failures - failures <= 6)
    }

    @Test("If the network's limit becomes longer, the interval follows within days")
    func lengthens() {
        var generator = SplitMix64(seed: 7)
        var vehicle = Parked(search: KeepAliveSearch(limits: Self.limits()), limit: 120)
        vehicle.run(untilSeconds: 7 * 86_400, using: &generator)
        vehicle.limit = 1500
        vehicle.run(untilSeconds: 14 * 86_400, using: &generator)
        #expect(vehicle.search.silenceMilliseconds > 1_363_000)
    }

    @Test("A failure of the shortest silence is known, and no interval goes below it")
    func tooShort() {
        var search = KeepAliveSearch(limits: Self.limits())
        search.handleFailure(silenceMilliseconds: 60_004)
        #expect(search.isShortestTooLong && search.silenceMilliseconds == 60_000)
        search.handleProof(silenceMilliseconds: 60_002)
        #expect(!search.isShortestTooLong)
        search.handleFailure(silenceMilliseconds: 10_000)
        #expect(search.memory.provenMilliseconds == 60_002, "a silence below the limits says nothing")
    }

    @Test("What a client has learned continues in the next one, within its own limits")
    func remembers() {
        var memory = KeepAliveMemory()
        memory.provenMilliseconds = 560_000
        memory.failedMilliseconds = 600_000
        #expect(KeepAliveSearch(limits: Self.limits(), memory: memory).silenceMilliseconds == 560_000)
        #expect(KeepAliveSearch(limits: Self.limits(60, 300), memory: memory).silenceMilliseconds == 300_000)
        #expect(KeepAliveSearch(limits: Self.limits(700, 900), memory: memory).silenceMilliseconds == 700_000)
    }

    @Test("Values that no client can have stored are not used", arguments: [Int64.min, -1, 0, 131_070_001, .max])
    func implausible(value: Int64) {
        var memory = KeepAliveMemory()
        (memory.provenMilliseconds, memory.failedMilliseconds) = (value, value)
        (memory.answers, memory.answersUntilRetry) = (Int.max, Int.min)
        var search = KeepAliveSearch(limits: Self.limits(), memory: memory)
        #expect(search.memory.provenMilliseconds == nil && search.memory.failedMilliseconds == nil)
        search.handleProof(silenceMilliseconds: search.silenceMilliseconds)
        #expect(search.memory.provenMilliseconds == 60_000)
    }

    @Test("A proof or a failure is worth a write to the disk, and only some of many equal answers are")
    func saving() {
        var search = KeepAliveSearch(limits: Self.limits(60, 61))
        var writes = 0
        for _ in 0..<200 {
            let former = search
            search.handleProof(silenceMilliseconds: search.silenceMilliseconds)
            if search.isWorthSaving(after: former) { writes += 1 }
        }
        // The first proof, and each 50th answer.
        #expect(writes == 5)
    }
}
