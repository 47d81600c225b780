import OdographCivilTime

extension Report {
    /// Returns the report of the time that vehicles spent in geofences: one row for each vehicle and geofence.
    /// - Parameters:
    ///   - vehicles: The vehicles with their times.
    ///   - words: The name of the time, for people.
    ///   - zone: The zone of the times.
    package static func geofences(
        _ vehicles: [(vehicle: ArchivedVehicle, times: GeofenceTimes)], _ words: String, in zone: ZoneRules
    ) -> Report {
        var all = GeofenceTimes()
        for (_, times) in vehicles { all.add(times) }
        return Report(
            title: "Time in geofences, \(words)", facts: all.facts,
            columns: [
                Column(title: "fleet", name: "fleet", width: 10), Column(title: "vehicle", name: "device", width: 16),
                Column(title: "geofence", name: "name", width: 28),
                Column(title: "identifier", name: "geofence", width: 20),
                Column(title: "time", name: "seconds", width: 12, isQuantity: true),
            ],
            rows: vehicles.flatMap { vehicle, times in
                times.ordered.map { identifier, seconds in
                    [
                        .text(vehicle.fleet), .text(vehicle.device), .text(times.names[identifier] ?? identifier),
                        .text(identifier), .duration(seconds),
                    ]
                }
            },
            notes: [
                "Times are of the zone \(zone.identifier). The time in a geofence is that between entering and leaving, "
                    + "and that of stops in it, each moment once. Private use does not count."
            ])
    }
}
