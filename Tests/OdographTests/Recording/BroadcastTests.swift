import Testing

@testable import Odograph

@Suite("A broadcast of events")
struct BroadcastTests {
    @Test(
        "A subscriber that is more than a thousand events behind loses the oldest; one that keeps up loses none",
        .timeLimit(.minutes(5)))
    func overflow() async {
        let feed = Broadcast<Int>()
        #expect(feed.isEmpty)
        let (slow, quick) = (feed.subscribe(), feed.subscribe())
        #expect(!feed.isEmpty)
        var iterator = quick.makeAsyncIterator()
        for number in 0..<1500 {
            feed.send(number)
            #expect(await iterator.next() == number)
        }
        feed.finish()
        #expect(feed.isEmpty)
        var heard: [Int] = []
        for await number in slow { heard.append(number) }
        #expect(heard == Array(500..<1500))
        #expect(await iterator.next() == nil)
    }
}
