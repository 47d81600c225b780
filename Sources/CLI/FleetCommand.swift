import ArgumentParser

/// `odograph fleet`: commands for the operator of a fleet.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Configure, query and monitor the vehicles of a fleet through its broker.",
        discussion: """
            Broker, fleet and login are options of each command, environment variables, or in the profile \
            ~/.config/odograph/desk.json5. An option overrides the variable, and a variable overrides the profile. The \
            variables are ODOGRAPH_BROKER, ODOGRAPH_FLEET, ODOGRAPH_ROOT, ODOGRAPH_USERNAME, ODOGRAPH_PASSWORD_FILE, \
            ODOGRAPH_CA_FILE, ODOGRAPH_CERTIFICATE_FILE and ODOGRAPH_KEY_FILE; ODOGRAPH_BROKER_PASSWORD is the \
            password, and ODOGRAPH_DESK names another profile.
            """,
        subcommands: [
            FleetConfigCommand.self, FleetGroupsCommand.self, FleetGeofencesCommand.self, FleetStatusCommand.self,
            FleetLocateCommand.self, FleetTimelineCommand.self, FleetSendCommand.self, FleetAnnounceCommand.self,
            FleetForgetCommand.self,
        ])
}
