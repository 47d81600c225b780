import OdographCivilTime
import OdographWire

extension Report {
    /// Returns the report of the trips of a driver.
    /// - Parameters:
    ///   - driver: The driver, as `driver` of events and positions, or `extras.driver` of positions.
    ///   - trips: The trips, ordered by start.
    ///   - odometers: The odometers of the vehicles at the begins and ends of the trips.
    ///   - zone: The zone of the times.
    package static func driver(
        _ driver: String, _ trips: [ArchivedTrip], odometers: [ArchivedVehicle: OdometerReadings] = [:],
        in zone: ZoneRules
    ) -> Report {
        var totals = TripTotals()
        for trip in trips { totals.add(trip.event) }
        return Report(
            title: "Driver \(driver)", facts: Fact.facts(of: totals).filter { $0.name != "stops" },
            columns: [
                Column(title: "from", name: "start", width: 16), Column(title: "to", name: "end", width: 16),
                Column(title: "lasted", name: "seconds", width: 12, isQuantity: true),
                Column(title: "fleet", name: "fleet", width: 10), Column(title: "vehicle", name: "device", width: 16),
                Column(title: "km", name: "km", width: 8, isQuantity: true),
                Column(title: "use", name: "use", width: 8),
                Column(title: "harsh", name: "harsh_events", width: 5, isQuantity: true),
            ] + OdometerReadings.columns,
            rows: trips.map { trip in
                [
                    .time(trip.event.startDate, in: zone),
                    trip.event.endDate == nil
                        ? Cell(text: "open", field: .empty)
                        : .time(trip.event.endDate, in: zone, on: zone.localTime(at: trip.event.startDate).date),
                    .duration(trip.event.duration), .text(trip.vehicle.fleet), .text(trip.vehicle.device),
                    .kilometers(trip.event.distanceInMeters), .text(TripUse(trip.event).word),
                    .count(trip.event.driving?.harshCount),
                ]
                    + (odometers[trip.vehicle] ?? OdometerReadings())
                    .cells(from: trip.event.startDate, to: trip.event.endDate)
            },
            notes: notes(zone) + [
                "A trip is here if it or a position during it has the driver, as driver or in extras.driver. A private "
                    + "trip is never here. A trip of two drivers is in the reports of both."
            ])
    }
}
