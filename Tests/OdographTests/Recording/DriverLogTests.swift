import OdographCivilTime
import OdographHarness
import OdographJSON
import Testing

@testable import Odograph

@Suite("Drivers of records")
struct DriverLogTests {
    private static func time(_ minute: Int) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: 1_790_000_000_000 + Int64(minute) * 60_000)
    }

    struct Case: Sendable, CustomStringConvertible {
        var description: String
        /// The changes, as minute and driver.
        var changes: [(Int, String?)]
        var driver: String?
    }

    @Test(
        "The driver of a trip from minute 10 to 20 is the one set last during it, else the one at its start",
        arguments: [
            Case(description: "none", changes: [], driver: nil),
            Case(description: "before", changes: [(0, "anna")], driver: "anna"),
            Case(description: "removed before", changes: [(0, "anna"), (5, nil)], driver: nil),
            Case(description: "a minute after the start", changes: [(11, "anna")], driver: "anna"),
            Case(description: "the last one forgot to log out", changes: [(0, "anna"), (11, "ben")], driver: "ben"),
            Case(description: "logs out before the end is known", changes: [(0, "anna"), (19, nil)], driver: "anna"),
            Case(description: "at the start", changes: [(0, "anna"), (10, "ben")], driver: "ben"),
            Case(description: "the next one at the end", changes: [(0, "anna"), (20, "ben")], driver: "anna"),
            Case(description: "the next one after the end", changes: [(0, "anna"), (21, "ben")], driver: "anna"),
            Case(description: "removed after", changes: [(0, "anna"), (25, nil)], driver: "anna"),
        ])
    func trips(scene: Case) {
        var log = DriverLog()
        for (minute, driver) in scene.changes { log.set(driver, at: Self.time(minute), isPersistent: true) }
        #expect(log.driver(ofTripFrom: Self.time(10), to: Self.time(20)) == scene.driver)
    }

    @Test("A driver that is not to persist ends with the run, and its time before stays known")
    func persistence() throws {
        for isPersistent in [true, false] {
            var log = DriverLog()
            log.set("anna", at: Self.time(0), isPersistent: isPersistent)
            var restored = try JSONCoder.decode(DriverLog.self, from: JSONCoder.bytes(of: log))
            // The clock of the machine is wrong at the start.
            restored.beginRun(at: Self.time(-1000))
            #expect(restored.current == (isPersistent ? "anna" : nil))
            #expect(restored.driver(at: Self.time(0)) == "anna")
        }
    }

    @Test("After a correction of the clock the newest driver holds, and the log stays small")
    func correction() {
        var log = DriverLog()
        log.set("anna", at: Self.time(5000), isPersistent: true)
        log.set("ben", at: Self.time(10), isPersistent: true)
        #expect(log.driver(at: Self.time(11)) == "ben" && log.driver(at: Self.time(9000)) == "ben")
        for minute in 20..<200 { log.set("\(minute)", at: Self.time(minute), isPersistent: true) }
        #expect(log.driver(at: Self.time(199)) == "199")
        #expect(log.driver(at: Self.time(200 - DriverLog.maximumEntries)) == "\(200 - DriverLog.maximumEntries)")
        #expect(log.driver(at: Self.time(100)) == nil)
    }
}
