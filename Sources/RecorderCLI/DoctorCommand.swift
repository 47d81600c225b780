import ArgumentParser
import OdographConsole
import OdographRecorder

/// `odograph-recorder doctor`: checks the configuration and the environment of the recorder.
struct DoctorCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check broker, login, database, vehicles, clock and service; print advice.",
        discussion: """
            Run it as root or as the recorder's user. As root it also checks what the user of the service may read and \
            write. It changes nothing: it connects to the broker with a name of \
            its own, and sends an empty message to the receipt topic of a vehicle that does not exist. The exit code \
            is 1 if a check fails.
            """)

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The recorder's configuration file.", valueName: "file"),
        completion: .file())
    var config = "/etc/odograph-recorder/recorder.json5"

    @OptionGroup var options: DoctorOptions

    func run() async throws {
        let doctor = RecorderDoctor(configuration: config, waitSeconds: options.wait)
        try await options.show { report in try await doctor.runChecks(report) }
    }
}
