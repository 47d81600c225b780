import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The time from a receiver on a machine whose clock is not set")
struct ReceiverTimeEstimatorTests {
    private static let date: Int64 = 1_795_251_600_000

    private static func fix(date: Int64, uptime: Int64) throws -> Fix {
        let time = Timestamp(millisecondsSinceEpoch: date)
        return Fix(
            timestamp: time,
            received: ClockReading(
                systemTime: Timestamp(millisecondsSinceEpoch: uptime), uptimeMilliseconds: uptime,
                isSystemTimeTrusted: false),
            coordinate: try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3)))
    }

    /// Returns the number of positions after which the time is known; nil if it is not.
    private static func count(_ steps: [(date: Int64, uptime: Int64)]) throws -> Int? {
        var estimator = ReceiverTimeEstimator()
        for (index, step) in steps.enumerated() {
            let fix = try fix(date: Self.date + step.date, uptime: step.uptime)
            guard let offset = estimator.add(fix, toleranceSeconds: 30) else { continue }
            #expect(abs(offset - Self.date) <= 1000)
            return index + 1
        }
        return nil
    }

    @Test("Three dates that agree with the monotonic clock are the time")
    func agreement() throws {
        #expect(try Self.count([(0, 0), (1000, 1000), (2000, 2000)]) == 3)
        #expect(try Self.count([(0, 0), (1000, 1000)]) == nil)
    }

    @Test("A repeated date is no evidence, neither for the time nor against it")
    func repetition() throws {
        var steps: [(date: Int64, uptime: Int64)] = []
        for second in Int64(0)..<4 {
            for report in Int64(0)..<5 { steps.append((second * 1000, second * 1000 + report * 100)) }
        }
        #expect(try Self.count(steps) == 11)
        let frozen = (0..<100).map { (date: Int64(0), uptime: Int64($0 * 1000)) }
        #expect(try Self.count(frozen) == nil)
    }

    @Test("A date that leaves the others begins again")
    func outlier() throws {
        #expect(try Self.count([(0, 0), (1000, 1000), (86_400_000, 2000), (3000, 3000), (4000, 4000)]) == nil)
        #expect(
            try Self.count([(0, 0), (1000, 1000), (86_400_000, 2000), (3000, 3000), (4000, 4000), (5000, 5000)]) == 6)
    }
}
