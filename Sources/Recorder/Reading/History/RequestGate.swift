import OdographThreads
import OdographWire

/// Limits the requests of each person, and of all persons together.
struct RequestGate: Sendable {
    /// The treatment of a request.
    enum Decision: Hashable, Sendable {
        /// The request is read and counts as waiting until ``finish(_:)``.
        case accept
        /// The request is refused.
        /// - Parameters:
        ///   - isAnswered: Whether the person gets an answer. Without this limit, a flood would double itself.
        ///   - isLogged: Whether the log gets an entry: one a minute for each person.
        case refuse(isAnswered: Bool, isLogged: Bool)
    }

    private struct Person {
        var requests: TokenBucket
        var refusals: TokenBucket
        var entries: TokenBucket
        var waiting = 0
    }

    /// The most requests of a person that wait or are being answered.
    static let maximumWaitingOfPerson = 16
    /// The most requests of all persons that wait or are being answered.
    static let maximumWaiting = 64
    /// The most persons that are known. At a broker without access rules, a client can invent names.
    static let maximumPersons = 1000

    private let perMinute: Double
    private var people: [HistoryAddress: Person] = [:]
    private var requests: TokenBucket
    private var refusals: TokenBucket
    private var entries = TokenBucket(capacity: 60, perSecond: 1)
    private var waiting = 0

    /// - Parameter requestsPerMinute: The rate of a person in the long term. All persons together have ten times of it.
    init(requestsPerMinute: Int) {
        perMinute = Double(requestsPerMinute)
        requests = TokenBucket(capacity: perMinute * 10, perSecond: perMinute / 6)
        refusals = TokenBucket(capacity: perMinute * 10, perSecond: perMinute / 6)
    }

    /// Decides about a request that has arrived.
    /// - Parameters:
    ///   - person: The asking person.
    ///   - now: The monotonic clock, milliseconds.
    mutating func admit(_ person: HistoryAddress, atUptimeMilliseconds now: Int64) -> Decision {
        var known = people[person] ?? makePerson()
        defer { people[person] = known }
        let hasRoom = known.waiting < Self.maximumWaitingOfPerson && waiting < Self.maximumWaiting
        if hasRoom, known.requests.take(atUptimeMilliseconds: now), requests.take(atUptimeMilliseconds: now) {
            known.waiting += 1
            waiting += 1
            return .accept
        }
        return .refuse(
            isAnswered: known.refusals.take(atUptimeMilliseconds: now) && refusals.take(atUptimeMilliseconds: now),
            isLogged: known.entries.take(atUptimeMilliseconds: now) && entries.take(atUptimeMilliseconds: now))
    }

    /// Notes the end of an accepted request.
    mutating func finish(_ person: HistoryAddress) {
        guard let known = people[person], known.waiting > 0 else { return }
        people[person]?.waiting -= 1
        waiting -= 1
    }

    private mutating func makePerson() -> Person {
        // The limits of all persons together remain.
        if people.count >= Self.maximumPersons { people = people.filter { $0.value.waiting > 0 } }
        let bucket = TokenBucket(capacity: perMinute, perSecond: perMinute / 60)
        return Person(
            requests: bucket, refusals: bucket, entries: TokenBucket(capacity: 1, perSecond: 1.0 / 60))
    }
}
