import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographPositioning

@Suite("Dates of a capture")
struct CaptureDatesTests {
    private static let noon = Timestamp(iso8601: "2026-11-24T12:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)
    private static let start = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8)

    /// A stand, a drive at 14 m/s, and a stand.
    private static func drive(every interval: Double) throws -> [Fix] {
        let start = try #require(start)
        var (fixes, meters): ([Fix], Double) = ([], 0)
        for index in 0..<Int(1200 / interval) {
            let seconds = Double(index) * interval
            let speed = seconds >= 180 && seconds < 900 ? 14.0 : 0
            let time = noon.advanced(bySeconds: seconds)
            fixes.append(
                Fix(
                    timestamp: time, received: ClockReading(replayed: time),
                    coordinate: start.destination(headingDegrees: 90, distanceMeters: meters), accuracyMeters: 4,
                    speedMetersPerSecond: speed, isMock: true))
            meters += speed * interval
        }
        return fixes
    }

    private static func shifted(_ fix: Fix, by seconds: Double) -> Fix {
        var fix = fix
        fix.timestamp = fix.timestamp.advanced(bySeconds: seconds)
        fix.received = ClockReading(replayed: fix.timestamp)
        return fix
    }

    private static func repaired(_ fixes: [Fix], readsAhead: Bool = true) -> [Fix] {
        var dates = CaptureDates(first: readsAhead ? Array(fixes.prefix(CaptureDates.lookAhead)) : [])
        var (repaired, next): ([Fix], Int) = ([], 0)
        while true {
            if let event = dates.next() {
                if case .fix(let fix) = event { repaired.append(fix) }
            } else if next < fixes.count {
                dates.add(.fix(fixes[next]))
                next += 1
            } else if dates.isComplete {
                return repaired
            } else {
                dates.complete()
            }
        }
    }

    private static func seconds(_ fixes: [Fix]) -> [Double] { fixes.map { $0.timestamp.seconds(since: noon) } }

    /// Whether dates increase, and each fix says that it was received at its date.
    private static func isInOrder(_ fixes: [Fix]) -> Bool {
        zip(fixes, fixes.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp }
            && fixes.allSatisfy { $0.received == ClockReading(replayed: $0.timestamp) }
    }

    private static let day = 86_400.0

    @Test("Right dates stay, also with silences", arguments: [1.0, 60])
    func unchanged(interval: Double) throws {
        let fixes = try Self.drive(every: interval)
        #expect(Self.repaired(fixes) == fixes)
        for seconds in interval == 1 ? [60, 600, 7200, 40 * Self.day] : [60, 600, 7200] {
            // A silence in which the vehicle goes on, and one at its stop.
            let moved =
                fixes.prefix(fixes.count / 2) + fixes.suffix(fixes.count / 4).map { Self.shifted($0, by: seconds) }
            #expect(Self.repaired(Array(moved)) == Array(moved), "\(seconds) s")
            let end = fixes.count - fixes.count / 10
            let stood = fixes.prefix(end) + fixes.suffix(fixes.count - end).map { Self.shifted($0, by: seconds) }
            #expect(Self.repaired(Array(stood)) == Array(stood), "\(seconds) s")
        }
    }

    @Test("A few wild dates among good ones get the dates between their neighbours", arguments: [1.0, 60])
    func wild(interval: Double) throws {
        let fixes = try Self.drive(every: interval)
        for seconds in [400, 7200, Self.day, 366 * Self.day, 7168 * Self.day] {
            for count in [1, 3] {
                let middle = fixes.count / 2
                var broken = fixes
                for index in middle..<middle + count { broken[index] = Self.shifted(fixes[index], by: seconds) }
                let times = Self.seconds(Self.repaired(broken))
                #expect(zip(times, Self.seconds(fixes)).allSatisfy { abs($0 - $1) < 0.01 }, "\(count) × \(seconds) s")
                #expect(times.count == fixes.count)
            }
        }
    }

    @Test("Dates that are set back while the vehicle drives go on, and are the reported ones again at the stop")
    func setBack() throws {
        let fixes = try Self.drive(every: 1)
        for seconds in [11.0, 18, 30, 60, 120] {
            let broken = fixes.prefix(600) + fixes.dropFirst(600).map { Self.shifted($0, by: -seconds) }
            let repaired = Self.repaired(Array(broken), readsAhead: false)
            #expect(Self.isInOrder(repaired))
            #expect(repaired.prefix(900).map(\.coordinate) == fixes.prefix(900).map(\.coordinate))
            #expect(Self.seconds(repaired).prefix(900) == Self.seconds(fixes).prefix(900))
            #expect(repaired.last?.timestamp == broken.last?.timestamp)
        }
    }

    @Test("Dates that leap ahead while the vehicle drives on by a second go on by a second")
    func leap() throws {
        let fixes = try Self.drive(every: 1)
        for seconds in [18.0, 60, 600, 7200] {
            let broken = Array(fixes.prefix(600) + fixes.dropFirst(600).map { Self.shifted($0, by: seconds) })
            let repaired = Self.repaired(broken)
            #expect(Self.seconds(repaired).prefix(900) == Self.seconds(fixes).prefix(900))
            #expect(repaired.last?.timestamp == broken.last?.timestamp)
        }
    }

    @Test("Lines that come twice are left out", arguments: [1.0, 60])
    func twice(interval: Double) throws {
        let fixes = try Self.drive(every: interval)
        for length in [3, 10, fixes.count / 4] {
            for end in [length, fixes.count / 2, fixes.count - 2] {
                for start in [end - length, 0] {
                    let broken = fixes.prefix(end) + fixes[start..<start + length] + fixes.dropFirst(end)
                    let times = Self.seconds(Self.repaired(Array(broken)))
                    #expect(times == Self.seconds(fixes), "\(length) lines from \(start) at \(end)")
                }
            }
        }
    }

    @Test("Fixes before the receiver knows the date get the dates before the first right one", arguments: [1.0, 60])
    func coldStart(interval: Double) throws {
        let fixes = try Self.drive(every: interval)
        let count = interval == 1 ? 100 : 3
        for seconds in [-17_124 * Self.day, -7168 * Self.day, -14_336 * Self.day, 7168 * Self.day, 366 * Self.day] {
            let broken = fixes.prefix(count).map { Self.shifted($0, by: seconds) } + fixes.dropFirst(count)
            let times = Self.seconds(Self.repaired(broken))
            #expect(times == Self.seconds(fixes), "\(seconds) s")
        }
    }

    @Test("A last fix with a wild date is where the vehicle was before")
    func wildEnd() throws {
        let fixes = try Self.drive(every: 1)
        var broken = fixes
        broken[1199] = Self.shifted(fixes[1199], by: 3 * Self.day)
        let repaired = Self.repaired(broken)
        #expect(repaired.count == 1200 && repaired.last?.timestamp == fixes.last?.timestamp)
    }
}
