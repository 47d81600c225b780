import Link
import Testing

@testable import Odograph

@Suite("A client that has another's name")
struct NamesakeWatchTests {
    /// What is said of connections that stood for so many seconds and ended so, one after the other.
    private static func verdicts(_ ends: [(seconds: Int64, failure: LinkFailure)]) -> [Bool] {
        var watch = NamesakeWatch()
        var now: Int64 = 1000
        return ends.map { end in
            watch.connected(atUptimeMilliseconds: now)
            now += end.seconds * 1000
            return watch.disconnected(end.failure, atUptimeMilliseconds: now)
        }
    }

    @Test("Is told where the broker closes one connection after the other without a word")
    func closed() {
        let ends: [(seconds: Int64, failure: LinkFailure)] = [5, 1, 59].map { ($0, .closedByBroker) }
        #expect(Self.verdicts(ends) == [false, false, true])
    }

    @Test("Is told at once where the broker says so")
    func said() { #expect(Self.verdicts([(3600, .sessionTakenOver(clientID: "van-7"))]) == [true]) }

    @Test("Is none where connections stand for long, or end otherwise between")
    func others() {
        #expect(!Self.verdicts(Array(repeating: (61, .closedByBroker), count: 9)).contains(true))
        let mixed = (0..<9).map { step -> (seconds: Int64, failure: LinkFailure) in
            (1, step % 3 == 2 ? .keepAliveTimeout(seconds: 60) : .closedByBroker)
        }
        #expect(!Self.verdicts(mixed).contains(true))
    }

    @Test("Is none where no connection stood: then the broker is away")
    func refused() {
        var watch = NamesakeWatch()
        let answers = (0..<9).map { watch.disconnected(.closedByBroker, atUptimeMilliseconds: Int64($0)) }
        #expect(!answers.contains(true))
    }
}
