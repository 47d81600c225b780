import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographWire

/// `odograph-recorder report geofences`: prints how long vehicles were in geofences.
struct GeofenceReportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "geofences", abstract: "Print the time that vehicles spent in geofences.",
        discussion: """
            Reads the database, also while a recorder writes it. There is one row for each vehicle and geofence. TIME \
            is ISO-8601, a date, a date and a time in the zone, or an age: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var database: DatabaseOption
    @OptionGroup var selection: ReportVehicles
    @OptionGroup var options: ReportOptions
    @OptionGroup var period: ReportPeriod

    func validate() throws {
        try selection.requireSelection()
        _ = try period.times(in: try options.zone(of: nil).rules)
    }

    func run() async throws {
        let report = try database.query { history in
            let selected = try selection.vehicles(in: history)
            let (zone, notes) = try options.zone(of: selection.areSeveral ? nil : selected.first)
            let times = try period.times(in: zone)
            let vehicles = try selected.map { vehicle in
                let crossings = try history.geofenceEvents(of: vehicle, in: times)
                let events = try history.timeline(of: vehicle, in: times)
                return (vehicle, GeofenceTimes(in: times, crossings, events, until: .now))
            }
            return Report.geofences(vehicles, selection.title(period.words), in: zone).noting(notes)
        }
        try options.show([report])
    }
}
