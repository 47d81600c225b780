import OdographModel
import OdographVehicleBus

/// The decoder of the frames of an interface.
enum CANDecoder {
    case j1939(J1939Session)
    case obd(OBDSession)

    init(_ settings: CANSettings, at moment: ClockReading) {
        switch settings.protocol {
        case .j1939: self = .j1939(J1939Session(name: settings.interface, at: moment))
        case .obd:
            self = .obd(OBDSession(name: settings.interface, isRequesting: settings.isRequesting, at: moment))
        }
    }

    var deadlineUptimeMilliseconds: Int64? {
        switch self {
        case .j1939(let session): session.deadlineUptimeMilliseconds
        case .obd(let session): session.deadlineUptimeMilliseconds
        }
    }

    mutating func receive(_ frame: CANFrame, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        switch self {
        case .j1939(var session):
            session.receive(frame, at: moment, emit: emit)
            self = .j1939(session)
        case .obd(var session):
            session.receive(frame, at: moment, emit: emit)
            self = .obd(session)
        }
    }

    mutating func fail(because reason: String, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        switch self {
        case .j1939(var session):
            session.fail(because: reason, at: moment, emit: emit)
            self = .j1939(session)
        case .obd(var session):
            session.fail(because: reason, at: moment, emit: emit)
            self = .obd(session)
        }
    }

    mutating func advance(to moment: ClockReading, emit: (VehicleBusEvent) -> Void) -> CANFrame? {
        switch self {
        case .j1939(var session):
            session.advance(to: moment, emit: emit)
            self = .j1939(session)
            return nil
        case .obd(var session):
            defer { self = .obd(session) }
            return session.advance(to: moment, emit: emit)
        }
    }
}
