import Odograph
import OdographPositioning
import OdographStore
import OdographThreads
import OdographWire

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

    /// Converts any error of the agent. The text of an error may quote remote data, so it is made `printable`.
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
            case .diskFull, .noRoomForCopy, .failed: .inputOutput
            case .damaged, .otherSchema, .overQuota, .stateLost: .dataError
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
            case .empty, .notACapture, .notAVehicleLog, .noPositions, .malformedGPX, .noTrackPoints, .noTimes:
                .dataError
            }
    }
}
