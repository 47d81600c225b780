import Testing

@testable import OdographLink

@Suite("The keep-alive that adapts")
struct AdaptiveKeepAliveTests {
    private static let limits = KeepAliveLimits(
        shortestMilliseconds: 60_000, longestMilliseconds: 870_000, answerMilliseconds: 10_000...30_000)

    /// One second of a drawn timeline: w a write, r a read, c the check that is due, G the end of the connection.
    /// Digits are tens of seconds without an event.
    private static func draw(
        _ timeline: String, memory: KeepAliveMemory = KeepAliveMemory(), isAwaitingAnswer: Bool = false
    ) -> (drawn: String, keepAlive: AdaptiveKeepAlive) {
        var keepAlive = AdaptiveKeepAlive(limits: limits, memory: memory)
        keepAlive.handleConnected(limits, at: 0)
        var now: Int64 = 0
        var drawn = ""
        for event in timeline {
            switch event {
            case "w": keepAlive.handleWrite(at: now)
            case "r": keepAlive.handleRead(at: now)
            default:
                var (seconds, quiet) = ((event.wholeNumberValue ?? 0) * 10, 0)
                while seconds > 0 {
                    (now, seconds, quiet) = (now + 1000, seconds - 1, quiet + 1)
                    switch keepAlive.action(at: now, isAwaitingAnswer: isAwaitingAnswer) {
                    case .nothing: continue
                    case .check:
                        keepAlive.handleCheck(at: now)
                        drawn += "\(quiet)c"
                    case .giveUp: return (drawn + "\(quiet)G", keepAlive)
                    }
                    quiet = 0
                }
                drawn += quiet > 0 ? "\(quiet)" : ""
                continue
            }
            drawn.append(event)
        }
        return (drawn, keepAlive)
    }

    @Test(
        "A check follows the silence, and the connection ends without an answer",
        arguments: [
            // Nothing known: the shortest silence, then the longest wait.
            ("9", "60c30G"),
            ("6", "60c"),
            // Any traffic restarts the silence, in either direction.
            ("3w1r6", "30w10r60c"), ("3r3r6", "30r30r60c"),
            // A write without an answer does not restart it again: the link may be dead.
            ("1w3w39", "10w30w30c30G"),
            // An answer lengthens the silence by half.
            ("6r9", "60cr90c"),
        ])
    func drawn(timeline: String, expected: String) {
        let drawn = Self.draw(timeline).drawn
        #expect(drawn == expected)
    }

    @Test("While a message waits for its acknowledgement, the shortest silence applies")
    func awaiting() {
        var memory = KeepAliveMemory()
        memory.provenMilliseconds = 600_000
        #expect(Self.draw("99", memory: memory, isAwaitingAnswer: true).drawn == "60c30G")
        #expect(Self.draw("99", memory: memory).drawn == "9090")
    }

    @Test("After quick answers, a missing one is noticed after ten seconds")
    func quickAnswers() {
        let first = Self.draw("6r9r").keepAlive
        #expect(first.search.memory.provenMilliseconds == 90_000)
        var keepAlive = first
        keepAlive.handleConnected(Self.limits, at: 0)
        keepAlive.handleCheck(at: 1_000_000)
        #expect(keepAlive.dueAt(isAwaitingAnswer: false) == 1_010_000)
    }

    @Test("The wait for an answer follows the measured round trips, within its bounds")
    func roundTrips() {
        var estimate = RoundTripEstimate()
        #expect(estimate.lostAfterMilliseconds == nil)
        for _ in 0..<50 { estimate.add(600) }
        #expect((4200...4300).contains(estimate.lostAfterMilliseconds ?? 0))
        estimate.add(3000)
        #expect((estimate.lostAfterMilliseconds ?? 0) > 20_000)
    }

    @Test("A message that is answered proves the silence before it, and one that is not has failed at it")
    func messages() {
        var memory = KeepAliveMemory()
        memory.provenMilliseconds = 100_000
        let answered = Self.draw("93w1r", memory: memory)
        #expect(answered.drawn == "9030w10r")
        #expect(answered.keepAlive.search.memory.provenMilliseconds == 120_000)
        var dead = AdaptiveKeepAlive(limits: Self.limits)
        dead.handleConnected(Self.limits, at: 0)
        dead.handleWrite(at: 50_000)
        dead.handleWrite(at: 55_000)
        #expect(dead.silenceBeforeEnd(at: 80_000) == 50_000)
    }

    @Test("An end after a silence counts if a connection from the same address follows at once")
    func confirmation() {
        let end = SilentEnd(atMilliseconds: 1000, silenceMilliseconds: 300_000, localAddress: [10, 0, 0, 7])
        #expect(end.isConfirmed(atMilliseconds: 31_000, localAddress: [10, 0, 0, 7]))
        #expect(!end.isConfirmed(atMilliseconds: 31_001, localAddress: [10, 0, 0, 7]))
        #expect(!end.isConfirmed(atMilliseconds: 2000, localAddress: [10, 0, 0, 8]))
    }

    @Test(
        "The longest silence and its wait end within the announced interval, and the broker's interval bounds it",
        arguments: [
            (60, 900, 900, 870), (60, 900, 300, 270), (60, 90, 90, nil), (60, 900, 60, nil), (60, 900, 0, 870),
        ] as [(Int, Int, Int64, Int64?)])
    func limits(shortest: Int, maximum: Int, accepted: Int64, longest: Int64?) {
        var configuration = LinkConfiguration(host: "h", port: 1, transport: .plain, clientID: "")
        #expect(configuration.keepAliveLimits(announcedMilliseconds: accepted * 1000) == nil)
        configuration.keepAliveSeconds = shortest
        configuration.keepAliveMaximumSeconds = maximum
        let limits = configuration.clamped.keepAliveLimits(announcedMilliseconds: accepted * 1000)
        #expect(limits?.longestMilliseconds == longest.map { $0 * 1000 })
        #expect(configuration.announcedKeepAliveSeconds == (maximum > shortest + 30 ? maximum : shortest))
    }
}
