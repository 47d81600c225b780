import OdographCivilTime
import OdographJSON
import OdographSettings
import OdographTerminal
import OdographWire

/// The sums over each day of a vehicle. The days are those of the zone of its schedule, else of UTC.
struct DayPages: HistoryPages {
    private let vehicle: ArchivedVehicle
    private let zone: ZoneRules
    private var days: ArraySlice<LocalDay>

    /// - Throws: `HistoryRefusal` if this machine does not know the zone, or `after` is not a day.
    init(
        vehicle: ArchivedVehicle, first: CivilDate, last: CivilDate, after: String?
    ) throws(HistoryRefusal) {
        self.vehicle = vehicle
        do throws(ZoneError) {
            if let name = vehicle.timeZone { zone = try ZoneDirectory.system.rules(named: name) } else { zone = .utc }
        } catch {
            throw HistoryRefusal(.unavailable, "the zone of the vehicle's days: \(error.description.printable)")
        }
        var first = first
        if let after {
            guard let day = CivilDate(historyDay: after) else { throw .wrongPlace }
            first = CivilDate(daysSinceEpoch: max(first.daysSinceEpoch, day.daysSinceEpoch + 1))
        }
        days = LocalDay.days(from: first, before: CivilDate(daysSinceEpoch: last.daysSinceEpoch + 1), in: zone)[...]
    }

    var timeZone: String? { zone.identifier }

    /// Reads one day: its events are in memory at once.
    mutating func read(from database: HistoryDatabase, limit: Int) throws -> HistoryPage {
        guard let day = days.popFirst() else { return HistoryPage() }
        let events = try database.timeline(of: vehicle, in: day.span)
        let totals = DayTotals.of([day], events, in: zone)
        return HistoryPage(
            rows: try totals.map { try JSONCoder.bytes(of: $0.row) }, next: days.isEmpty ? nil : day.date.text)
    }
}

extension DayTotals {
    /// The sums as a row of an answer. Of a day of which nothing is known there are none.
    fileprivate var row: JSONValue {
        var members: [String: JSONValue] = ["day": .string(day.date.text)]
        if isKnown {
            members["trips"] = .integer(Int64(totals.trips))
            members["stops"] = .integer(Int64(totals.stops))
            members["distance_in_meters"] = .number(totals.meters)
            members["private_distance_in_meters"] = .number(totals.privateMeters)
            members["tagged_distance_in_meters"] = .number(totals.taggedMeters)
            members["transit_duration"] = .number(totals.transitSeconds)
        }
        if isKnown || totals.unseenMeters > 0 {
            members["unseen_distance_in_meters"] = .number(totals.unseenMeters)
        }
        members["first_start"] = totals.firstStart.map { .string($0.iso8601) }
        members["last_end"] = totals.lastEnd.map { .string($0.iso8601) }
        return .object(members)
    }
}
