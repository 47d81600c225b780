import Odograph
import OdographOperator

extension ExitError {
    /// Converts an error of the recorder's database.
    package init(_ failure: DatabaseFailure) {
        let code: Code =
            switch failure {
            case .locked: .temporary
            case .full, .failed, .fileLost: .inputOutput
            case .damaged, .foreign, .newer: .dataError
            case .cannotOpen, .backupFailed: .cannotCreate
            case .storeShared: .configuration
            }
        self.init(code, failure.description.printable)
    }

    /// Converts an error of a command that reads a database. A missing database is a missing input.
    package init(reading failure: DatabaseFailure, database: String) {
        if case .cannotOpen(database, _) = failure {
            self.init(.noInput, failure.description.printable)
        } else {
            self.init(failure)
        }
    }
}
