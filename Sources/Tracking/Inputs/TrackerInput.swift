import OdographCivilTime
import OdographModel

/// An input of the tracker, with its time.
///
/// The tracker reads no clock: the same inputs in the same order always give the same outputs.
public enum TrackerInput: Equatable, Sendable {
    /// A position of the receiver.
    case fix(Fix)
    /// A position whose date was unknown when it was received; see ``Tracker/dated(_:)``.
    case undated(ReceivedFix)
    /// Time has passed. The number of ticks does not change the results: every action takes place at its own due time.
    case tick(ClockReading)
    /// The availability of the position source changed.
    case source(SourceState, at: ClockReading)
    /// The state of the power supply; nil if the machine has no battery.
    case battery(Battery?, at: ClockReading)
    /// Values that the vehicle itself reports.
    case signals(VehicleSignals)
    /// A named beacon came aboard or left.
    case beacon(BeaconEvent, at: ClockReading)
    /// A new tracking configuration.
    case configuration(TrackingConfiguration, at: ClockReading)
    /// The schedule opened or closed, or its rule changed.
    case schedule(ScheduleGate.State, at: ClockReading)
    /// The odometer is set to a value, in metres; its error is reset to 0.
    case odometer(meters: Double, at: ClockReading)
    /// A request for the current position.
    case positionRequest(PositionRequest, at: ClockReading)
    /// The agent started, with a saved state or a new one. The monotonic clock may have restarted, except when the boot
    /// identifier is the same as before. The identifier is nil if the machine has none.
    case started(at: ClockReading, boot: String? = nil)

    /// The time of the input by the machine's clocks.
    public var clockReading: ClockReading {
        switch self {
        case .fix(let fix): fix.received
        case .undated(let position): position.fix.received
        case .signals(let signals): signals.received
        case .tick(let moment), .started(let moment, _): moment
        case .source(_, let moment), .battery(_, let moment), .beacon(_, let moment), .configuration(_, let moment),
            .schedule(_, let moment), .odometer(_, let moment), .positionRequest(_, let moment):
            moment
        }
    }

    /// Whether the input is a position, or signals from which driving follows.
    var isMovement: Bool {
        switch self {
        case .fix, .undated, .signals: true
        case .tick, .source, .battery, .beacon, .configuration, .schedule, .odometer, .positionRequest, .started: false
        }
    }
}

extension TrackerInput: WithheldInPrivateTime {}
