import Odograph
import OdographPositioning
import OdographStore
import OdographTerminal

extension StoreError: ExitCoded {
    package var exitCode: ExitError.Code {
        switch self {
        case .inUse: .temporary
        case .unusable: .cannotCreate
        case .noPermission: .noPermission
        case .diskFull, .noRoomForCopy, .failed, .numbersChanged: .inputOutput
        case .damaged, .otherSchema, .overQuota, .stateLost: .dataError
        case .closed: .unavailable
        }
    }
}

extension ControlError: ExitCoded {
    package var exitCode: ExitError.Code {
        switch kind {
        case .noAgent, .noAnswer, .otherAgent: .unavailable
        case .noPermission: .noPermission
        case .inUse: .temporary
        case .unusable: .cannotCreate
        }
    }
}

extension CaptureError: ExitCoded {
    package var exitCode: ExitError.Code {
        switch self {
        case .notFound, .vehicleLogNotFound, .isDirectory, .noPermission: .noInput
        case .unreadable: .inputOutput
        case .empty, .notACapture, .notAVehicleLog, .noPositions, .malformedGPX, .noTrackPoints, .noTimes:
            .dataError
        }
    }
}
