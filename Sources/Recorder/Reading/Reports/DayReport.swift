import OdographCivilTime
import OdographTerminal
import OdographWire

extension Report {
    /// Returns the report of a day of a vehicle: its trips and stops. Private trips are one row, with their sums.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - day: The day.
    ///   - events: The events that overlap the day, ordered by start.
    ///   - drivers: The drivers of the positions during trips without a driver of their own, by `event_id`.
    ///   - odometer: The odometer at the bounds of the day and of its events.
    ///   - geofences: The time in geofences.
    ///   - zone: The zone of the day.
    package static func day(
        of vehicle: ArchivedVehicle, _ day: LocalDay, _ events: [TimelineEventRevision],
        drivers: [String: [String]] = [:], odometer: OdometerReadings = OdometerReadings(),
        geofences: GeofenceTimes? = nil, in zone: ZoneRules
    ) -> Report {
        let days = DayTotals.of([day], events, in: zone)
        let totals = days.first?.totals ?? TripTotals()
        var facts = Fact.facts(of: totals, over: days)
        if day.hours != 24 { facts.append(Fact(name: "hours of the day", value: day.hours.formatted(decimals: 1))) }
        facts += odometer.facts(of: day.span) + (geofences?.facts ?? [])
        let listed = events.filter { TripUse($0) != .privateUse }
        return Report(
            title: "\(vehicle.fleet)/\(vehicle.device), \(day.date.text)", vehicle: vehicle, facts: facts,
            columns: [
                Column(title: "from", name: "start", width: 16), Column(title: "to", name: "end", width: 16),
                Column(title: "lasted", name: "seconds", width: 12, isQuantity: true),
                Column(title: "what", name: "type", width: 16),
                Column(title: "km", name: "km", width: 8, isQuantity: true),
                Column(title: "place", name: "place", width: 28), Column(title: "use", name: "use", width: 8),
                Column(title: "driver", name: "driver", width: 12),
                Column(title: "idle", name: "idle_seconds", width: 8, isQuantity: true),
                Column(title: "harsh", name: "harsh_events", width: 5, isQuantity: true),
            ] + OdometerReadings.columns,
            rows: listed.map { event in
                [
                    .time(event.startDate, in: zone, on: day.date),
                    event.endDate == nil
                        ? Cell(text: "open", field: .empty) : .time(event.endDate, in: zone, on: day.date),
                    .duration(event.duration),
                    Cell(text: TimelineFormatter.activityText(event), field: .text(event.type.rawValue)),
                    Cell(
                        text: TimelineFormatter.kilometers(event),
                        field: Cell.kilometers(TimelineFormatter.wayMeters(event)).field),
                    .text(TimelineFormatter.placeText(event)), .text(TripUse(event).word),
                    .text(event.driver ?? drivers[event.eventID, default: []].joined(separator: ", ")),
                    event.idleSeconds.map { .duration($0) } ?? .empty, .count(event.driving?.harshCount),
                ] + odometer.cells(from: event.startDate, to: event.endDate)
            } + (totals.privateTrips > 0 ? [privateRow(of: totals)] : []),
            notes: notes(zone) + [
                "The driver is the one that was set on the vehicle, or else that of the positions. Idle is the time in "
                    + "which the engine ran at a halt. Harsh is the number of harsh accelerations, brakings and "
                    + "cornerings of a trip."
            ])
    }

    /// Returns the row of the private trips of a day. It has neither a place nor a time of day.
    private static func privateRow(of totals: TripTotals) -> [Cell] {
        [
            .empty, .empty, .duration(totals.privateTransitSeconds),
            Cell(
                text: Format.count(totals.privateTrips, "trip", "trips"),
                field: .text(TimelineEventRevision.Kind.inTransport.rawValue)),
            .kilometers(totals.privateMeters), .empty, .text(TripUse.privateUse.word), .empty, .empty, .empty,
            .empty, .empty,
        ]
    }

    /// Returns the report of several days of a vehicle: one row for each day.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - name: The name of the time, such as `2026-11`.
    ///   - days: The days.
    ///   - events: The events that overlap the days, ordered by start.
    ///   - odometer: The odometer at the bounds of the days.
    ///   - geofences: The time in geofences.
    ///   - zone: The zone of the days.
    package static func month(
        of vehicle: ArchivedVehicle, _ name: String, _ days: [LocalDay], _ events: [TimelineEventRevision],
        odometer: OdometerReadings = OdometerReadings(), geofences: GeofenceTimes? = nil, in zone: ZoneRules
    ) -> Report {
        let rows = DayTotals.of(days, events, in: zone)
        let dates = Set(days.map(\.date))
        var totals = TripTotals()
        for event in events where dates.contains(zone.localTime(at: event.startDate).date) { totals.add(event) }
        var facts = Fact.facts(of: totals, over: rows)
        if let first = days.first, let last = days.last {
            facts += odometer.facts(of: first.span.lowerBound..<last.span.upperBound)
        }
        return Report(
            title: "\(vehicle.fleet)/\(vehicle.device), \(name)", vehicle: vehicle,
            facts: facts + (geofences?.facts ?? []),
            columns: [
                Column(title: "date", name: "date", width: 10),
                Column(title: "trips", name: "trips", width: 5, isQuantity: true),
                Column(title: "km", name: "km", width: 9, isQuantity: true),
                Column(title: "private km", name: "private_km", width: 10, isQuantity: true),
                Column(title: "tagged km", name: "tagged_km", width: 9, isQuantity: true),
                Column(title: "in transit", name: "transit_seconds", width: 12, isQuantity: true),
                Column(title: "stops", name: "stops", width: 5, isQuantity: true),
                Column(title: "harsh", name: "harsh_events", width: 5, isQuantity: true),
                Column(title: "first start", name: "first_start", width: 11),
                Column(title: "last end", name: "last_end", width: 16),
            ] + OdometerReadings.columns,
            rows: rows.map { row in
                guard row.isKnown else {
                    return [.text(row.day.date.text), .empty, .unknown] + Array(repeating: .empty, count: 9)
                }
                let sums = row.totals
                return [
                    .text(row.day.date.text), .count(sums.trips), .kilometers(sums.meters),
                    .kilometers(sums.privateMeters), .kilometers(sums.taggedMeters), .duration(sums.transitSeconds),
                    .count(sums.stops), .count(sums.harshEvents),
                    .time(sums.firstStart, in: zone, on: row.day.date),
                    .time(sums.lastEnd, in: zone, on: row.day.date),
                ] + odometer.cells(from: row.day.span.lowerBound, to: row.day.span.upperBound)
            }, notes: notes(zone))
    }

    /// The sentences that explain a report.
    static func notes(_ zone: ZoneRules) -> [String] {
        [
            "Times are of the zone \(zone.identifier). A trip or stop counts on the day on which it begins.",
            "The use is \"private\" in private time and with the tag \"private\", else the tag, or empty. Private trips "
                + "are in the sums; their places and times of day are not told.",
        ]
    }
}
