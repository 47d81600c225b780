import ArgumentParser

/// The command `odograph`.
@main
struct OdographCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph",
        abstract: "Tells the world over MQTT where a vehicle is and what it did.")
}
