import OdographCivilTime
import OdographWire

/// The trips of a vehicle, and the drivers of those that have none of their own.
package struct VehicleTrips: Sendable {
    /// The vehicle.
    package let vehicle: ArchivedVehicle
    /// The trips, ordered by start.
    let trips: [TimelineEventRevision]
    /// The drivers of the positions during a trip, by `event_id`.
    let drivers: [String: [String]]

    /// Reads the trips that begin in a time.
    package init(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>, from history: HistoryDatabase
    ) throws(DatabaseFailure) {
        self.vehicle = vehicle
        trips = try history.timeline(of: vehicle, in: times).filter {
            $0.type == .inTransport && times.contains($0.startDate)
        }
        drivers = try history.drivers(of: vehicle, during: trips)
    }
}

extension Report {
    /// The driver of a trip, as far as the records tell.
    private enum DriverKey: Hashable, Comparable {
        case driver(String)
        case unknown
        case privateUse
    }

    /// Returns the report of all drivers: one row for each, with the sums of the trips, the longest distance first.
    /// - Parameters:
    ///   - vehicles: The trips of the vehicles.
    ///   - words: The name of the time, for people.
    ///   - zone: The zone of the times.
    package static func drivers(_ vehicles: [VehicleTrips], _ words: String, in zone: ZoneRules) -> Report {
        var totals = TripTotals()
        var sums: [DriverKey: (totals: TripTotals, vehicles: [String])] = [:]
        for driven in vehicles {
            let name = "\(driven.vehicle.fleet)/\(driven.vehicle.device)"
            for trip in driven.trips {
                totals.add(trip)
                for key in keys(of: trip, driven.drivers[trip.eventID] ?? []) {
                    var sum = sums[key] ?? (TripTotals(), [])
                    sum.totals.add(trip)
                    if sum.vehicles.last != name { sum.vehicles.append(name) }
                    sums[key] = sum
                }
            }
        }
        let ordered = sums.sorted { ($1.value.totals.meters, $0.key) < ($0.value.totals.meters, $1.key) }
        return Report(
            title: "Drivers, \(words)", facts: Fact.facts(of: totals).filter { $0.name != "stops" },
            columns: [
                Column(title: "driver", name: "driver", width: 20), Column(title: "use", name: "use", width: 8),
                Column(title: "trips", name: "trips", width: 5, isQuantity: true),
                Column(title: "km", name: "km", width: 9, isQuantity: true),
                Column(title: "in transit", name: "transit_seconds", width: 12, isQuantity: true),
                Column(title: "harsh", name: "harsh_events", width: 5, isQuantity: true),
                Column(title: "vehicles", name: "vehicles", width: 24),
            ],
            rows: ordered.map { key, sum in
                driverCells(key) + [
                    .count(sum.totals.trips), .kilometers(sum.totals.meters), .duration(sum.totals.transitSeconds),
                    .count(sum.totals.harshEvents), .text(sum.vehicles.joined(separator: ", ")),
                ]
            },
            notes: [
                "Times are of the zone \(zone.identifier). A trip counts if it begins in the time. It is of a driver if it "
                    + "or a position during it has the driver; a trip of two drivers counts for both, and once in the "
                    + "sums. Private trips have no driver."
            ])
    }

    private static func keys(of trip: TimelineEventRevision, _ drivers: [String]) -> [DriverKey] {
        if trip.isOfPrivateUse { return [.privateUse] }
        let names = trip.driver.map { [$0] } ?? drivers
        return names.isEmpty ? [.unknown] : names.map { .driver($0) }
    }

    /// The driver and the use.
    private static func driverCells(_ key: DriverKey) -> [Cell] {
        switch key {
        case .driver(let name): [.text(name), .empty]
        case .unknown: [Cell(text: "without a driver", field: .empty), .empty]
        case .privateUse: [.empty, .text(TripUse.privateUse.word)]
        }
    }
}
