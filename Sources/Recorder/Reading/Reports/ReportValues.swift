import OdographCivilTime
import OdographTerminal

extension Report.Cell {
    /// A text.
    static func text(_ text: String) -> Report.Cell {
        Report.Cell(text: text, field: text.isEmpty ? .empty : .text(text))
    }

    /// A number of things.
    static func count(_ number: Int) -> Report.Cell { Report.Cell(text: "\(number)", field: .number("\(number)")) }

    /// A number of things; empty for nil.
    static func count(_ number: Int?) -> Report.Cell {
        number.map { .count($0) } ?? .empty
    }

    /// A distance in kilometres; empty for nil.
    static func kilometers(_ meters: Double?) -> Report.Cell {
        let text = meters.map { ($0 / 1000).formatted(decimals: 2) }
        return Report.Cell(text: text ?? "", field: text.map { .number($0) } ?? .empty)
    }

    /// A length of time: for programs in whole seconds.
    static func duration(_ seconds: Double) -> Report.Cell {
        Report.Cell(text: Format.duration(seconds: seconds), field: .number(seconds.formatted(decimals: 0)))
    }

    /// A time on the wall clocks of a zone; for programs with its distance from UTC.
    /// - Parameter date: The date of the row, which a person sees beside the time.
    static func time(_ time: Timestamp?, in zone: ZoneRules, on date: CivilDate? = nil) -> Report.Cell {
        guard let time else { return .empty }
        let local = zone.localTime(at: time)
        let text = local.date == date ? local.minuteText : "\(local.date.text) \(local.minuteText)"
        return Report.Cell(text: text, field: .text(zone.offsetTime(at: time)))
    }
}

extension ZoneRules {
    /// Returns a time as ISO-8601 with its distance from UTC, `2026-11-21T09:15:02+01:00`.
    func offsetTime(at time: Timestamp) -> String {
        let local = localTime(at: time)
        let minutes = utcOffsetSeconds(at: time) / 60
        let hours = "\(minutes < 0 ? "-" : "+")\((abs(minutes) / 60).twoDigits):\((abs(minutes) % 60).twoDigits)"
        return "\(local.date.text)T\(local.timeText)\(hours)"
    }
}

extension Report.Cell {
    /// The words of a report where nothing is known; for programs no value.
    static let unknown = Report.Cell(text: "not known", field: .empty)
    /// No value.
    static let empty = Report.Cell(text: "", field: .empty)
}

extension Report.Fact {
    /// Returns the sums over days as facts. Days of which nothing is known are counted, and are not 0 kilometres.
    static func facts(of totals: TripTotals, over days: [DayTotals]) -> [Report.Fact] {
        let unknown = days.count { !$0.isKnown }
        guard unknown < days.count else {
            let unseen = totals.unseenMeters > 0 ? facts(of: totals).suffix(1) : []
            return [Report.Fact(name: "distance", value: Report.Cell.unknown.text)] + unseen
        }
        return facts(of: totals) + (unknown > 0 ? [Report.Fact(name: "days not known", value: "\(unknown)")] : [])
    }

    /// Returns the sums as facts, without those that are 0.
    static func facts(of totals: TripTotals) -> [Report.Fact] {
        var facts = [
            Report.Fact(name: "trips", value: "\(totals.trips)"),
            Report.Fact(name: "distance", value: Format.distance(totals.meters)),
        ]
        for (use, meters) in totals.metersByUse.sorted(by: { $0.key < $1.key }) {
            facts.append(Report.Fact(name: "of it \(use.word)", value: Format.distance(meters)))
        }
        facts.append(Report.Fact(name: "in transit", value: Format.duration(seconds: totals.transitSeconds)))
        if let events = totals.harshEvents { facts.append(Report.Fact(name: "harsh events", value: "\(events)")) }
        facts.append(Report.Fact(name: "stops", value: "\(totals.stops)"))
        if totals.unseenMeters > 0 {
            facts.append(Report.Fact(name: "unseen, about", value: Format.distance(totals.unseenMeters)))
        }
        return facts
    }
}
