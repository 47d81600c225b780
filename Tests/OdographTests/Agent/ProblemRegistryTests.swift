import OdographCivilTime
import OdographHarness
import OdographModel
import OdographPositioning
import Testing
import OdographThreads
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("The problem registry")
struct ProblemRegistryTests {
    private static let start = ClockReading(
        systemTime: Timestamp(millisecondsSinceEpoch: 1_795_000_000_000), uptimeMilliseconds: 5000,
        isSystemTimeTrusted: true)

    @Test("A problem keeps its start time, and only a new problem is reported as new")
    func raise() {
        let clock = TestClock(Self.start)
        let board = ProblemRegistry(clock: clock)
        let isNew = board.raise(.storeFailed, "first")
        clock.advance(bySeconds: 5)
        let isNewAgain = board.raise(.storeFailed, "second")
        #expect(isNew && !isNewAgain)
        #expect(board.current == [Problem(code: .storeFailed, text: "second", since: Self.start.systemTime)])
        let wasThere = board.clear(.storeFailed)
        let wasThereAgain = board.clear(.storeFailed)
        #expect(wasThere && !wasThereAgain)
        #expect(board.current.isEmpty)
    }

    @Test("A problem with two reasons has the text of the newest one, and ends with the last one")
    func reasons() {
        let clock = TestClock(Self.start)
        let board = ProblemRegistry(clock: clock)
        let changes = Lock(0)
        board.setObserver { changes.withLock { $0 += 1 } }
        let isNew = ["write", "read", "read"].map { board.raise(.storeFailed, "\($0) failed", reason: $0) }
        #expect(isNew == [true, true, false])
        clock.advance(bySeconds: 5)
        board.raise(.storeFailed, "write failed again", reason: "write")
        #expect(board.current.map(\.text) == ["write failed again"])
        #expect(board.clear(.storeFailed, reason: "write") && !board.clear(.storeFailed, reason: "write"))
        #expect(!board.clear(.storeFailed))
        #expect(
            board.current == [Problem(code: .storeFailed, text: "read failed", since: Self.start.systemTime)])
        #expect(changes.withLock { $0 } == 1)
        #expect(board.clear(.storeFailed, reason: "read") && board.current.isEmpty)
        #expect(changes.withLock { $0 } == 2)
    }

    /// Raises and clears problems at random, and compares the registry with the expected codes after each call.
    private static func change(_ codes: [Problem.Code], on board: ProblemRegistry, seed: UInt64) -> (
        mistakes: Int, open: Set<Problem.Code>
    ) {
        var random = SplitMix64(seed: seed)
        var open: Set<Problem.Code> = []
        var mistakes = 0
        for step in 0..<200 {
            let code = codes[Int.random(in: 0..<codes.count, using: &random)]
            if Bool.random(using: &random) {
                board.raise(code, "step \(step)")
                open.insert(code)
            } else {
                board.clear(code)
                open.remove(code)
            }
            let own = Set(board.current.map(\.code)).intersection(codes)
            if own != open { mistakes += 1 }
        }
        return (mistakes, open)
    }

    @Test(
        "Recorder and link raise and clear concurrently: each sees its own changes at once, and none is lost",
        arguments: UInt64(1)...100)
    func interleavings(seed: UInt64) async {
        let board = ProblemRegistry(clock: TestClock(Self.start))
        let doorbell = CoalescingSignal()
        // The last list that was published, as the agent publishes it.
        let published = Lock<[Problem.Code]>([])
        board.setObserver { doorbell.send() }
        let publishing = Task {
            for await _ in doorbell.stream { published.withLock { $0 = board.current.map(\.code) } }
        }
        async let pipeline = Self.change([.storeFailed, .sourceLost, .timeUnknown], on: board, seed: seed)
        async let link = Self.change([.brokerUnreachable, .clientIDShared, .publishRefused], on: board, seed: ~seed)
        let (first, second) = await (pipeline, link)
        #expect(first.mistakes == 0 && second.mistakes == 0)
        #expect(Set(board.current.map(\.code)) == first.open.union(second.open))
        let isPublished = try? await eventually {
            published.withLock { $0 } == board.current.map(\.code) ? true : nil
        }
        #expect(isPublished == true)
        publishing.cancel()
        await publishing.value
    }

    @Test("A problem that the pipeline clears is cleared when its call returns", arguments: UInt64(1)...20)
    func receiver(seed: UInt64) async throws {
        let fixture = try await PipelineFixture("{}", at: Self.start)
        var random = SplitMix64(seed: seed)
        var ordinal: Int64 = 0
        func say(_ state: SourceState) async {
            ordinal += 1
            await fixture.pipeline.receive(
                SourceEvent(.state(state, at: fixture.clock.now(), detail: "\(ordinal)"), ordinal: ordinal))
        }
        for _ in 0..<30 {
            await say(.lost)
            // The loss becomes a problem after 60 s.
            fixture.clock.advance(bySeconds: Double.random(in: 59...61, using: &random))
            if Bool.random(using: &random) { await Task.yield() }
            await say(.available)
            #expect(fixture.problems.current.isEmpty)
        }
        await say(.lost)
        fixture.clock.advance(bySeconds: 61)
        let text = try await eventually { fixture.problems.current.first?.text }
        #expect(text?.contains("\(ordinal)") == true)
    }
}
