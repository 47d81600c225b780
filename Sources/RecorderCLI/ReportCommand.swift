import ArgumentParser

/// `odograph-recorder report`: prints reports about vehicles and drivers.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Print a report of a day, a month, drivers or geofences.",
        subcommands: [
            DayReportCommand.self, MonthReportCommand.self, DriverReportCommand.self, GeofenceReportCommand.self,
        ])
}
