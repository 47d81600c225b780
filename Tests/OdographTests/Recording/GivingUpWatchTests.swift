import Testing

@testable import Odograph

@Suite("The notice that records are given up")
struct GivingUpWatchTests {
    @Test("It comes when it begins, and again after an hour without, also with another database")
    func notices() {
        var watch = GivingUpWatch()
        func hasBegun(_ count: Int, minute: Int64) -> Bool {
            watch.hasBegun(count, uptimeMilliseconds: minute * 60_000)
        }
        #expect(!hasBegun(0, minute: 0))
        #expect(hasBegun(256, minute: 1))
        #expect(!hasBegun(512, minute: 2) && !hasBegun(768, minute: 50))
        // The pause counts from the last one.
        #expect(!hasBegun(1024, minute: 70) && !hasBegun(1024, minute: 200))
        #expect(hasBegun(1280, minute: 201))
        #expect(hasBegun(1, minute: 300))
    }
}
