import Testing

@testable import OdographRecorder

@Suite("The watch over the recorder's subscriptions")
struct SubscriptionWatchTests {
    private static let filters = [
        "fleet/acme/+/location/#", "fleet/acme/+/status", "fleet/acme/+/receipt/main", "fleet/other/+/location/#",
    ]

    @Test(
        "A topic matches the filter of its fleet and its channel, and no other",
        arguments: [
            ("fleet/acme/van-7/location", [0]), ("fleet/acme/van-7/location/backlog", [0]),
            ("fleet/acme/van-7/locations", []), ("fleet/acme/van-7/status", [1]),
            ("fleet/acme/van-7/receipt/main", [2]), ("fleet/acme/van-7/receipt/other", []),
            ("fleet/other/van-7/location", [3]), ("fleet/acme", []), ("fleet/acme/van-7", []),
        ])
    func topics(topic: String, matched: [Int]) {
        var watch = SubscriptionWatch(Self.filters)
        watch.note(topic: topic)
        let expected = Self.filters.indices.filter { !matched.contains($0) }.map { Self.filters[$0] }
        #expect(watch.turn() == expected)
    }

    @Test("Each period begins without a match")
    func periods() {
        var watch = SubscriptionWatch(Self.filters)
        for filter in Self.filters { watch.note(topic: filter.replacing("+", with: "van-7").replacing("/#", with: "")) }
        #expect(watch.turn() == [])
        #expect(watch.turn() == Self.filters)
    }
}
