import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographTerminal
import OdographWire

/// `odograph-recorder report day`: prints the trips and stops of a day.
struct DayReportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "day", abstract: "Print the trips and stops of vehicles on a day.",
        discussion: """
            Reads the database, also while a recorder writes it. Of several vehicles each has its report; in csv and \
            jsonl the rows begin with fleet and device. The day begins and ends at midnight of the time zone, and has \
            23 or 25 hours when the clocks change.
            """)

    @OptionGroup var database: DatabaseOption
    @OptionGroup var selection: ReportVehicles
    @OptionGroup var options: ReportOptions

    @Option(help: ArgumentHelp("The date, such as 2026-11-21. Default: today.", valueName: "date"))
    var date: String?

    func validate() throws {
        try selection.requireSelection()
        _ = try date.map(DateOption.day)
    }

    func run() async throws {
        let reports = try database.query { history in
            try selection.vehicles(in: history).map { try report(of: $0, from: history) }
        }
        try options.show(reports, title: selection.title(date ?? "today"), hasVehicles: selection.areSeveral)
    }

    private func report(of vehicle: ArchivedVehicle, from history: HistoryDatabase) throws -> Report {
        let (zone, notes) = try options.zone(of: vehicle)
        let date = try date.map(DateOption.day) ?? zone.localTime(at: .now).date
        guard let day = LocalDay.day(date, in: zone) else {
            throw ExitError(.usage, "the zone \(zone.identifier) has no such day; give another date")
        }
        let events = try history.timeline(of: vehicle, in: day.span)
        let drivers = try history.drivers(of: vehicle, during: events)
        let bounds = [day.span.lowerBound, day.span.upperBound]
        let odometer = try OdometerReadings(
            of: vehicle, at: bounds + events.flatMap { [$0.startDate, $0.endDate].compactMap { $0 } }, from: history)
        let geofences = GeofenceTimes(
            in: day.span, try history.geofenceEvents(of: vehicle, in: day.span), events, until: .now)
        return Report.day(
            of: vehicle, day, events, drivers: drivers, odometer: odometer, geofences: geofences, in: zone
        ).noting(notes)
    }
}
