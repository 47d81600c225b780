import Odograph
import Positioning
import Store
import Threads
import Wire

/// An error as a command reports it: what to print, and the exit code that scripts decide by.
///
/// Source of the codes: sysexits.h.
public struct ExitError: Error, Hashable, Sendable {
    /// What kind of failure it is.
    public enum Code: Int32, Hashable, Sendable {
        /// Something ran and found problems.
        case problems = 1
        /// The command was used wrongly.
        case usage = 64
        /// The input is not what it should be.
        case dataError = 65
        /// The input is not there, or cannot be read.
        case noInput = 66
        /// What the command needs does not run.
        case unavailable = 69
        /// Something that should not happen.
        case software = 70
        /// A file cannot be made.
        case cannotCreate = 73
        /// Reading or writing failed.
        case inputOutput = 74
        /// Something else is in the way: try again later.
        case temporary = 75
        /// This user may not.
        case noPermission = 77
        /// The configuration is wrong.
        case configuration = 78
    }

    /// The exit code.
    public var code: Code
    /// What is wrong and what would be right, a line an issue.
    public var text: String

    /// - Parameters: as the properties of the same names.
    public init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// What any error of the agent means to a command. The sentence of an error may quote what came from afar.
    public init(_ error: any Error) {
        switch error {
        case let failure as ExitError: self = failure
        case let error as ConfigurationError: self.init(.configuration, error.description)
        case let error as StoreError: self.init(Code(error), error.description.printable)
        case let error as ControlError: self.init(Code(error), error.description.printable)
        case let error as CaptureError: self.init(Code(error), error.description.printable)
        case let error as ThreadLimitError: self.init(.unavailable, error.description)
        default: self.init(.software, "\(error)".printable)
        }
    }
}

extension ExitError.Code {
    fileprivate init(_ error: StoreError) {
        self =
            switch error {
            case .inUse: .temporary
            case .unusable: .cannotCreate
            case .noPermission: .noPermission
            case .diskFull, .failed: .inputOutput
            case .damaged, .newerSchema, .overQuota, .stateLost: .dataError
            case .closed: .unavailable
            }
    }

    fileprivate init(_ error: ControlError) {
        self =
            switch error.kind {
            case .noAgent, .noAnswer, .otherAgent: .unavailable
            case .noPermission: .noPermission
            case .inUse: .temporary
            case .unusable: .cannotCreate
            }
    }

    fileprivate init(_ error: CaptureError) {
        self =
            switch error {
            case .notFound, .isDirectory, .noPermission: .noInput
            case .unreadable: .inputOutput
            case .empty, .notACapture, .noPositions, .malformedGPX, .noTrackPoints, .noTimes: .dataError
            }
    }
}
