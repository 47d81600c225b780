import OdographPositioning
import OdographStore
import OdographThreads
import Testing

@testable import Odograph
@testable import OdographOperator

@Suite("Exit codes of errors")
struct ExitCodeTests {
    @Test(
        "An error of any module has an exit code, and its text is printable",
        arguments: [
            (StoreError.inUse(path: "a\u{1B}"), .temporary), (CaptureError.empty(path: "a\u{1B}"), .dataError),
            (ControlError(.noPermission, description: "a\u{1B}"), .noPermission),
            (ConfigurationError(origin: "a", issues: []), .configuration),
            (ThreadLimitError(), .unavailable), (ExitError(.noInput, "a"), .noInput), (CancellationError(), .software),
        ] as [(any Error, ExitError.Code)])
    func codes(error: any Error, code: ExitError.Code) {
        let failure = ExitError(error)
        #expect(failure.code == code, "\(failure)")
        #expect(failure.text == failure.text.printable)
    }
}
