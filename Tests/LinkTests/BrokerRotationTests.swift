import Testing

@testable import OdographLink

@Suite("The order of several brokers")
struct BrokerRotationTests {
    @Test("Each failed attempt goes on to the next broker, and the first one follows the last")
    func failures() {
        var rotation = BrokerRotation(count: 3)
        let places = (0..<5).map { _ in
            defer { rotation.handleEnd(triesAgain: false) }
            return rotation.place
        }
        #expect(places == [0, 1, 2, 0, 1])
    }

    @Test("A connection that the network ended is tried again with its own broker")
    func network() {
        var rotation = BrokerRotation(count: 2)
        rotation.handleEnd(triesAgain: false)
        rotation.handleConnected(atMilliseconds: 0)
        rotation.handleEnd(triesAgain: true)
        #expect(rotation.place == 1)
        #expect(rotation.lookDueMilliseconds == nil)
        rotation.handleEnd(triesAgain: false)
        #expect(rotation.place == 0)
    }

    @Test("The time until a look at the first broker doubles up to an hour, until the first one has served")
    func looks() {
        var rotation = BrokerRotation(count: 2)
        rotation.handleConnected(atMilliseconds: 0)
        #expect(rotation.lookDueMilliseconds == nil)
        rotation.handleEnd(triesAgain: false)
        rotation.handleConnected(atMilliseconds: 1_000_000)
        let isEarly = rotation.takeLook(atMilliseconds: 1_059_999)
        #expect(!isEarly)
        var now: Int64 = 1_000_000
        var waits: [Int64] = []
        while waits.count < 8, let due = rotation.lookDueMilliseconds {
            waits.append((due - now) / 60_000)
            now = due
            let looks = [rotation.takeLook(atMilliseconds: now), rotation.takeLook(atMilliseconds: now)]
            #expect(looks == [true, false])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        /// Returns to the first broker, and from there to the second one.
        /// - Parameter serves: Whether the first one accepts the client and serves it, accepts it and answers nothing, or
        ///   refuses it (nil).
        /// - Returns: the time until the next look, milliseconds.
        func returnToFirst(serves: Bool?) -> Int64? {
            rotation.returnToFirst()
            rotation.handleEnd(triesAgain: true)
            #expect(rotation.place == 0)
            if let serves {
                rotation.handleConnected(atMilliseconds: now)
                if serves {
                    rotation.handleEnd(triesAgain: true)
                    rotation.handleConnected(atMilliseconds: now)
                }
            }
            rotation.handleEnd(triesAgain: false)
            rotation.handleConnected(atMilliseconds: now)
            return rotation.lookDueMilliseconds.map { $0 - now }
        }
        // It accepts TCP and refuses the client, or answers nothing: the next look comes as late as before.
        #expect(returnToFirst(serves: nil) == 3_600_000)
        #expect(returnToFirst(serves: false) == 3_600_000)
        #expect(returnToFirst(serves: true) == 60_000)
    }
}
