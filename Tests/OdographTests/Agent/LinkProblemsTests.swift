import OdographLink
import Testing

@testable import Odograph

@Suite("The problems of the link")
struct LinkProblemsTests {
    /// Returns the raised codes at each second of some consecutive connections, each with its duration and its failure.
    private static func codes(
        after ends: [(seconds: Int64, failure: LinkFailure)], isAnswered: Bool = true
    ) -> [[Problem.Code]] {
        var board = Board()
        for end in ends { board.connect(seconds: end.seconds, isAnswered: isAnswered, failure: end.failure) }
        return board.history
    }

    /// Applies the detector's changes second by second, as the agent does.
    private struct Board {
        var link = LinkProblemDetector()
        var now: Int64 = 1000
        var problems: [Problem.Code: String] = [:]
        /// The codes at the end of each second of a connection, and after its end.
        var history: [[Problem.Code]] = []

        mutating func apply(_ changes: [LinkProblemDetector.Change]) {
            for change in changes {
                switch change {
                case .raise(let code, let text): problems[code] = text
                case .clear(let code): problems[code] = nil
                }
            }
        }

        mutating func connect(seconds: Int64, isAnswered: Bool, failure: LinkFailure) {
            link.handleConnected(atUptimeMilliseconds: now)
            if isAnswered { apply(link.handleBrokerResponse()) }
            note()
            for _ in 0..<seconds {
                now += 1000
                if let due = link.dueUptimeMilliseconds, due <= now { apply(link.tick(atUptimeMilliseconds: now)) }
                note()
            }
            apply(link.handleDisconnected(failure, atUptimeMilliseconds: now))
            note()
            now += 1000
        }

        private mutating func note() { history.append(problems.keys.sorted { $0.rawValue < $1.rawValue }) }
    }

    @Test("A broker that ends each connection within a second raises a lasting problem", arguments: [true, false])
    func dropsEach(isAnswered: Bool) {
        let history = Self.codes(after: Array(repeating: (1, .closedByBroker), count: 20), isAnswered: isAnswered)
        let first = history.firstIndex { $0.contains(.connectionUnstable) }
        #expect(first == 8)
        #expect(history[8...].allSatisfy { $0 == [.brokerUnreachable, .connectionUnstable] })
    }

    @Test("An unstable network is not reported as a shared client id")
    func flapping() {
        let history = Self.codes(after: [5, 1, 59, 3, 12, 40, 2].map { ($0, .closedByBroker) })
        #expect(!history.joined().contains(.clientIDShared))
        #expect(history.last == [.brokerUnreachable, .connectionUnstable])
    }

    @Test("A session takeover that the broker reports raises the shared client id problem at once")
    func takenOver() {
        let history = Self.codes(after: [(3600, .sessionTakenOver(clientID: "van-7"))])
        #expect(history.last == [.brokerUnreachable, .clientIDShared])
    }

    @Test("A connection that lasts a minute clears every problem")
    func calm() {
        let history = Self.codes(
            after: Array(repeating: (1, .closedByBroker), count: 5) + [(61, .keepAliveTimeout(seconds: 60))])
        #expect(history.dropLast().last == [])
        #expect(history.last == [.brokerUnreachable])
    }

    @Test("A single outage ends with the broker's first answer, or after ten seconds without an answer")
    func outage() {
        var board = Board()
        board.apply(board.link.handleDisconnected(.closedBeforeConnack, atUptimeMilliseconds: board.now))
        #expect(Array(board.problems.keys) == [.brokerUnreachable])
        var silent = board
        board.connect(seconds: 0, isAnswered: true, failure: .byRequest)
        #expect(board.problems.isEmpty)
        silent.connect(seconds: 11, isAnswered: false, failure: .byRequest)
        #expect(silent.history[9] == [.brokerUnreachable] && silent.history[10] == [])
    }

    @Test("Failed connection attempts do not count as short connections")
    func attempts() {
        var board = Board()
        for _ in 0..<9 {
            board.apply(board.link.handleDisconnected(.closedBeforeConnack, atUptimeMilliseconds: board.now))
        }
        #expect(Array(board.problems.keys) == [.brokerUnreachable])
    }
}
