import OdographSettings
import OdographThreads

/// An error of a command: the message to print, and the exit code for scripts.
///
/// Source of the codes: sysexits.h.
public struct ExitError: Error, Hashable, Sendable {
    /// The exit code of a failure.
    public enum Code: Int32, Hashable, Sendable {
        /// The command ran and found problems.
        case problems = 1
        /// The arguments are invalid.
        case usage = 64
        /// The input is invalid.
        case dataError = 65
        /// The input does not exist, or cannot be read.
        case noInput = 66
        /// A required service does not run.
        case unavailable = 69
        /// An internal error.
        case software = 70
        /// A file cannot be created.
        case cannotCreate = 73
        /// Reading or writing failed.
        case inputOutput = 74
        /// A temporary failure: try again later.
        case temporary = 75
        /// The user lacks a permission.
        case noPermission = 77
        /// The configuration is wrong.
        case configuration = 78
    }

    /// The exit code.
    public var code: Code
    /// The error and its correction, one line per issue.
    public var text: String

    /// - Parameters: see the properties of the same names.
    public init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// Converts any error. The text of an error may quote remote data, so it is made `printable`.
    public init(_ error: any Error) {
        switch error {
        case let failure as ExitError: self = failure
        case let error as ConfigurationError: self.init(.configuration, error.description)
        case let error as any ExitCoded: self.init(error.exitCode, error.description.printable)
        case let error as ThreadLimitError: self.init(.unavailable, error.description)
        default: self.init(.software, "\(error)".printable)
        }
    }
}
