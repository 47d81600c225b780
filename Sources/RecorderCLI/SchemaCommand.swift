import ArgumentParser
import OdographConsole
import OdographRecorder

/// `odograph-recorder schema`: prints the tables of the database.
struct SchemaCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the tables and views of the database as SQL, with their meanings.")

    @Flag(name: .customLong("postgresql"), help: "Print those of PostgreSQL, not those of SQLite.")
    var isOfPostgreSQL = false

    func run() async throws {
        try Console.print((isOfPostgreSQL ? PostgreSQLSchema.sql : SQLiteSchema.sql) + "\n")
    }
}
