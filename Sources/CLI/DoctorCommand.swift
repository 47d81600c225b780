import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator

/// `odograph doctor`: checks the configuration and the environment of the agent.
struct DoctorCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check broker, credentials, receiver, clock and disk; print advice.",
        discussion: """
            Run it as root or as the agent's user. As root it also checks what the user of the service may read and \
            write. The exit code is 1 if a check fails.
            """)

    @OptionGroup var file: ConfigurationOption

    @OptionGroup var options: DoctorOptions

    func run() async throws {
        let doctor = Doctor(configuration: file.path, waitSeconds: options.wait)
        try await options.show { report in try await doctor.runChecks(report) }
    }
}
