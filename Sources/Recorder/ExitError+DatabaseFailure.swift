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
            case .cannotOpen: .cannotCreate
            }
        self.init(code, failure.description.printable)
    }
}
