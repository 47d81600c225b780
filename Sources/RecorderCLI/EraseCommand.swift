import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographTerminal

/// `odograph-recorder erase`: erases the records of a vehicle or a driver.
struct EraseCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase the records of a vehicle or a driver.",
        discussion: """
            Removes positions, timeline events that overlap them, conflicts and rejected messages from the database, \
            and their bytes from its file. For this the file is written anew, which needs free space of twice its \
            size; a running recorder waits meanwhile and loses nothing. The numbers of the records stay, so they do \
            not become gaps, and a record that comes again is not stored. The table erasures has the numbers of the \
            erased rows. With --config the messages that the broker retains are deleted, too: the login must be \
            allowed to write the topics of the vehicle. TIME is ISO-8601, a date, a date and a time (UTC), or an age: \
            90s, 15m, 2h, 3d.
            """)

    @Option(
        help: ArgumentHelp("The recorder's database: a file, or postgresql://….", valueName: "database"),
        completion: .file())
    var database: DatabaseLocation?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The recorder's configuration file, for its database and its broker.", valueName: "file"),
        completion: .file())
    var config: String?

    @Option(help: ArgumentHelp("The vehicle.", valueName: "name"))
    var device: String?

    @Option(
        help: ArgumentHelp("The vehicle's fleet, if several fleets have a vehicle of this name.", valueName: "name"))
    var fleet: String?

    @Option(help: ArgumentHelp("The driver, as in driver or extras.driver.", valueName: "name"))
    var driver: String?

    @Option(help: ArgumentHelp("Only records at this time or later.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only records before this time.", valueName: "time"))
    var to: String?

    @Flag(help: "Count the records, and erase nothing.")
    var dryRun = false

    @Flag(help: "Print one JSON object per line: each topic, and the numbers of each vehicle.")
    var json = false

    func validate() throws {
        guard (database == nil) != (config == nil) else { throw ValidationError("Give --database or --config.") }
        guard (device == nil) != (driver == nil) else { throw ValidationError("Give --device or --driver.") }
        guard driver?.isEmpty != true else { throw ValidationError("--driver is empty; give the driver's name.") }
        guard driver == nil || fleet == nil else { throw ValidationError("--fleet is an option of --device only.") }
        _ = try TimeOption.range(from: from, to: to)
    }

    func run() async throws {
        let range = try TimeOption.range(from: from, to: to)
        let configuration = try config.map { path throws in try RecorderConfiguration.load(path) }
        guard let location = database ?? configuration?.recording.database else { return }
        // The broker first: after an error of it, the database still knows the vehicles of the driver.
        let (erasure, planned) = try eraseRecords(in: location, from: range.from, to: range.to, isTrial: true)
        if let configuration, !dryRun {
            let broker = RetainedMessageEraser(configuration.recording)
            for rows in planned {
                let topics = try await broker.erase(
                    rows.vehicle, isWhole: erasure.isWholeVehicle, hasReport: rows.hadReport)
                for topic in topics {
                    if json {
                        try Console.printJSON(try RetainedMessageEraser.json(topic: topic))
                    } else {
                        try Console.print("\(topic): removed\n")
                    }
                }
            }
        }
        let erased =
            dryRun ? planned : try eraseRecords(in: location, from: range.from, to: range.to, isTrial: false).erased
        for rows in erased {
            if json { try Console.printJSON(try rows.json()) } else { try Console.print(rows.text) }
        }
        if erased.isEmpty { Console.printMessage("the database contains no records of the driver\n") }
    }

    private func eraseRecords(
        in location: DatabaseLocation, from: Timestamp?, to: Timestamp?, isTrial: Bool
    ) throws -> (erasure: Erasure, erased: [ErasedRows]) {
        do {
            let subject: Erasure.Subject
            if let driver {
                subject = .driver(driver)
            } else {
                let history = try HistoryDatabase(location)
                subject = .vehicle(try history.vehicle(named: device ?? "", fleet: fleet))
            }
            let erasure = Erasure(subject, from: from, to: to)
            return (erasure, try RecordEraser(location).erase(erasure, isTrial: isTrial))
        } catch let error as DatabaseFailure {
            throw ExitError(reading: error)
        }
    }
}
