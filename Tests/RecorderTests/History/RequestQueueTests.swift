import OdographCivilTime
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The queue of requests")
struct RequestQueueTests {
    private static func pending(_ person: String, _ id: String) throws -> PendingRequest {
        try #require(
            PendingRequest(
                topic: "fleet/history:acme/\(person)/request/\(id)", root: "fleet",
                received: Timestamp(millisecondsSinceEpoch: 0)))
    }

    @Test("The persons take turns, and the requests of one person stay in order")
    func turns() throws {
        var queue = RequestQueue()
        for (person, id) in [("ann", "1"), ("ann", "2"), ("ann", "3"), ("bob", "4"), ("bob", "5"), ("eve", "6")] {
            queue.append(try Self.pending(person, id), HistoryRequest(.latest))
        }
        let (waiting, foreign) = (try Self.pending("ann", "3"), try Self.pending("bob", "3"))
        #expect(queue.contains(waiting) && !queue.contains(foreign))
        var order: [String] = []
        while let next = queue.takeNext() { order.append(next.pending.id) }
        #expect(order == ["1", "4", "2", "5", "3", "6"])
        #expect(!queue.contains(waiting))
    }
}
