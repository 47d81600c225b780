import ArgumentParser
import OdographConsole
import OdographRecorder

/// `odograph-recorder schema`: prints the tables of the database.
struct SchemaCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the tables and views of the database as SQL, with their meanings.")

    func perform() async throws { try Console.print(RecorderSchema.sql + "\n") }
}
