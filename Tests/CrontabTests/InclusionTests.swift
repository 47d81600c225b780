import OdographCivilTime
import OdographHarness
import Testing

@testable import OdographCrontab

@Suite("Inclusion of a schedule in another one")
struct InclusionTests {
    private static let table: [(inner: String, outer: String, isContained: Bool)] = [
        ("* 10-20 * * 1-5", "* 10-20 * * 1-5", true), ("* 11 * * 1", "* 10-20 * * 1-5", true),
        ("0 10 * * 1-5", "* 10 * * 1-5", true), ("* 9-20 * * 1-5", "* 10-20 * * 1-5", false),
        ("* 10-20 * * *", "* 10-20 * * 1-5", false), ("* * * * *", "* 10 * * *", false),
        ("* 10 * * *", "* * * * *", true), ("*/2 10 * * *", "*/4 10 * * *", false),
        ("*/4 10 * * *", "*/2 10 * * *", true),
        // Day of month or weekday, if neither begins with a star.
        ("0 0 13 * *", "0 0 13 * 5", true), ("0 0 13 * 5", "0 0 13 * *", false), ("0 0 * * 5", "0 0 13 * 5", true),
        // Days of some years or some months only.
        ("0 0 29 2 *", "0 0 L 2 *", true), ("0 0 L 2 *", "0 0 29 2 *", false), ("0 0 28 2 *", "0 0 L 2 *", false),
        ("0 0 L * *", "0 0 28-31 * *", true), ("0 0 * * 1#5", "0 0 29-31 * *", true),
        ("0 0 * * 1#4", "0 0 29-31 * *", false), ("* * 1 1 *", "* * * 1 *", true),
    ]

    @Test("Minutes, hours and days are each included in the other's", arguments: table)
    func known(inner: String, outer: String, isContained: Bool) throws {
        #expect(try Schedule(inner).isContained(in: Schedule(outer)) == isContained)
    }

    @Test("An inclusion has no contradicting minute in 28 years, and any other pair has one", arguments: 0..<8)
    func sampled(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var contained = 0
        for _ in 0..<60 {
            guard let outer = try? Schedule(random.expression()), let other = try? Schedule(random.expression()) else {
                continue
            }
            // Random schedules rarely include each other, so the outer one is narrowed.
            let (outerMask, otherMask) = (outer.union.masks[0], other.union.masks[0])
            let inner = Bool.random(using: &random) ? otherMask : outerMask.intersection(otherMask)
            let isContained = ScheduleUnion(masks: [inner]).isContained(in: outer.union)
            if isContained { contained += 1 }
            #expect(isContained == Self.lies(inner, within: outerMask))
        }
        #expect(contained > 5)
    }

    /// Checks the inclusion minute by minute on every kind of day.
    private static func lies(_ inner: ScheduleMask, within outer: ScheduleMask) -> Bool {
        let first = CivilDate(year: 2000, month: 1, day: 1).daysSinceEpoch
        let minutes = (0..<1440).filter {
            inner.hours >> UInt32($0 / 60) & 1 == 1 && inner.minutes >> UInt64($0 % 60) & 1 == 1
        }
        let isTimeWithin = minutes.allSatisfy {
            outer.hours >> UInt32($0 / 60) & 1 == 1 && outer.minutes >> UInt64($0 % 60) & 1 == 1
        }
        for day in first..<first + 28 * 1461 / 4 + 1 {
            guard inner.days.contains(day: day), let minute = minutes.first else { continue }
            guard isTimeWithin, ScheduleUnion(masks: [outer]).matches(minute: day * 1440 + minute) else { return false }
        }
        return true
    }
}

extension ScheduleMask {
    /// Returns the common minutes and hours, with the days of this mask.
    fileprivate func intersection(_ other: ScheduleMask) -> ScheduleMask {
        var mask = self
        mask.minutes &= other.minutes
        mask.hours &= other.hours
        return mask
    }
}
