import OdographCivilTime
import OdographCrontab
import Glibc

// Each line: the median of nine samples, in nanoseconds per operation, and its limit.
let madrid = try ZoneDirectory.system.rules(named: "Europe/Madrid")
let start = Timestamp(millisecondsSinceEpoch: 1_795_252_502_000)
/// Instants at intervals of 2 h 45 min over 117 days, so that every hour and weekday occurs.
let instants = (0..<1024).map { start.advanced(byMilliseconds: Int64($0) * 8_640_000 + Int64($0) * 1_234_567) }
let working = try Schedule("* 10-20 * * 1-5")
let expressions = ["* 10-20 * * 1-5", "*/5 8-18,20 1-15 JAN-JUN MON-FRI", "0 0 29 2 *", "44-51 8-19 */5 Jan-may 0-5"]

measure("match, UTC", bar: 30, operations: 102_400) { index in
    keep(working.isOpen(at: instants[index & 1023], in: .utc))
}
measure("match, instant in a zone", bar: 30, operations: 102_400) { index in
    keep(working.isOpen(at: instants[index & 1023], in: madrid))
}
let naiveWorking = NaiveSchedule("* 10-20 * * 1-5")
measure("match, naive", bar: nil, operations: 10_240) { index in
    keep(naiveWorking.matches(madrid.localTime(at: instants[index & 1023])))
}

for expression in expressions {
    let schedule = try Schedule(expression)
    measure("next change of \(expression)", bar: 200, operations: 102_400) { index in
        keep(schedule.nextChange(after: instants[index & 1023], in: madrid) != nil)
    }
}
measure("next change of * 10-20 * * 1-5, naive walk", bar: nil, operations: 64) { index in
    keep(naiveWorking.nextChange(after: instants[index & 1023], in: madrid, withinMinutes: 400 * 1440) != nil)
}

// 40 years between two 29 February that are Fridays; minutes that do not exist because of the clock change; a date
// after the zone's listed transitions, from before the first one.
let rare: [(String, String, String)] = [
    ("* * */7 2 5#5", "2284-03-01T00:00:00Z", "Europe/Madrid"),
    ("* 2 * 3 0#2", "2007-01-01T00:00:00Z", "America/New_York"),
    ("* 2 * 3 0#2", "1970-01-01T00:00:00Z", "America/New_York"),
    ("0 0 29 2 1", "2026-03-01T00:00:00Z", "Europe/Madrid"),
    ("0 2 */28 3 */7", "2026-01-01T00:00:00Z", "Africa/Casablanca"),
]
for (expression, after, name) in rare {
    let schedule = try Schedule(expression)
    let zone = try ZoneDirectory.system.rules(named: name)
    let instant = Timestamp(iso8601: after) ?? start
    measure("rare: \(expression) in \(name) after \(after.prefix(4))", bar: 20_000, operations: 1000) { _ in
        keep(schedule.nextChange(after: instant, in: zone) != nil)
    }
}

for expression in expressions {
    measure("parse \(expression)", bar: 3000, operations: 10_240) { _ in keep((try? Schedule(expression)) != nil) }
}
measure("parse, naive", bar: nil, operations: 1024) { index in
    keep(NaiveSchedule("* 10-20 * * 1-5").matches(madrid.localTime(at: instants[index & 1023])))
}
