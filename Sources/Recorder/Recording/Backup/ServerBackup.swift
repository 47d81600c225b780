import OdographSettings
import OdographTerminal

/// A dump of the recorder's schema in PostgreSQL, made by `pg_dump` while the recorder runs.
enum ServerBackup {
    /// Makes a dump in the custom format of `pg_dump`, and then notes what it covers. After an error the database says
    /// what it said before, and an earlier dump at the same path is unchanged.
    /// - Parameters:
    ///   - address: The database.
    ///   - output: The path of the dump. A file at this path is replaced at the end.
    static func make(of address: PostgreSQLAddress, at output: String) throws(DatabaseFailure) {
        let file = try BackupFile(output)
        // The dump sees all that is committed before it begins, so also what the mark covers.
        let mark = try BackupMark.begin(of: .server(address))
        do throws(DatabaseFailure) {
            try file.write { partial throws(DatabaseFailure) in try writeDump(of: address, to: partial) }
        } catch {
            try? BackupMark.cancel(mark, of: .server(address))
            throw error
        }
        try BackupMark.complete(mark, of: .server(address))
    }

    private static func writeDump(of address: PostgreSQLAddress, to path: String) throws(DatabaseFailure) {
        let variables = address.passwordFile.map { ["PGPASSFILE": $0] } ?? [:]
        let ran = ExternalProgram.run(
            "pg_dump",
            [
                "--format=custom", "--schema=odograph", "--no-password", "--file=" + path,
                "--dbname=" + address.description,
            ], variables: variables)
        guard let ran else {
            throw .backupFailed(
                path: path, detail: "pg_dump cannot be started; install the package postgresql-client")
        }
        guard ran.code == 0 else {
            let lines = ran.output.split(separator: "\n").suffix(2).joined(separator: "; ")
            throw .backupFailed(path: path, detail: "pg_dump has ended with code \(ran.code): \(lines.printable)")
        }
    }
}
