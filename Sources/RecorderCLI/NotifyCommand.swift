import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder

/// `odograph-recorder notify RULE`: shows whether the target of a rule gets notifications.
struct NotifyCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Send a trial notification of a rule to its target.",
        discussion: """
            The target gets it as from the running recorder, once: of a vehicle with the name "trial", with the time \
            of now, and without a place. Nothing is stored. A program that is a target runs as the user of this \
            command and outside of the sandbox of the service. The exit code is 69 if the target does not take it.
            """)

    @Argument(help: ArgumentHelp("The name of the rule.", valueName: "rule"))
    var rule: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The recorder's configuration file.", valueName: "file"),
        completion: .file())
    var config = "/etc/odograph-recorder/recorder.json5"

    func run() async throws {
        let trial = try TrialNotification(ofRule: rule, in: RecorderConfiguration.load(config).rules)
        for refusal in try await trial.deliver(at: .now) {
            Console.printMessage("a recipient refuses the notification: \(refusal)\n")
        }
        try Console.print("\(trial.target) has the notification\n")
    }
}
