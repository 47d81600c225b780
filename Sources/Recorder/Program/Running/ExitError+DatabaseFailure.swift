import OdographSettings
import OdographTerminal

extension ExitError {
    /// Converts an error of the recorder's database.
    package init(_ failure: DatabaseFailure) {
        let code: Code =
            switch failure {
            case .locked, .inUse: .temporary
            case .unavailable: .unavailable
            case .full, .failed, .fileLost, .refusedValue: .inputOutput
            case .damaged, .foreign, .otherVersion: .dataError
            case .cannotOpen, .backupFailed: .cannotCreate
            case .receiptsShared: .configuration
            }
        self.init(code, failure.description.printable)
    }

    /// Converts an error of a database that is only read: a file that cannot be opened is missing.
    package init(reading failure: DatabaseFailure) {
        self.init(failure)
        if case .cannotOpen = failure { code = .noInput }
    }
}
