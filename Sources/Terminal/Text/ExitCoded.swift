/// An error of a higher module with an exit code of its own.
package protocol ExitCoded: Error, CustomStringConvertible {
    /// The exit code of a command that fails with the error.
    var exitCode: ExitError.Code { get }
}
