import CivilTime

/// Everything that can make the tracker change its mind, each with its time.
///
/// The tracker reads no clock of its own: the same inputs in the same order give the same outputs, whenever and
/// wherever they are handled.
public enum TrackerInput: Equatable, Sendable, Codable {
    /// A position of the receiver.
    case fix(Fix)
    /// A position of a time at which nobody knew the date; see ``Tracker/dated(_:)``.
    case undated(ReceivedFix)
    /// Time has passed. How often it is said makes no difference to the outcome: what fell due is done at its own time.
    case tick(ClockReading)
    /// The source of positions came or went.
    case source(SourceState, at: ClockReading)
    /// What the power supplies say; nil where the machine has no battery.
    case battery(Battery?, at: ClockReading)
    /// The tracking configuration that is in force from now on.
    case configuration(TrackingConfiguration, at: ClockReading)
    /// The schedule opened or closed.
    case schedule(ScheduleGate.State, at: ClockReading)
    /// The odometer is set to a value, in metres; its error begins again at 0.
    case odometer(meters: Double, at: ClockReading)
    /// Somebody asks for the position now.
    case positionRequest(PositionRequest, at: ClockReading)
    /// The agent started, on a state that was saved or on a new one. The monotonic clock may have begun anew: it has not where
    /// the machine's name for its boot is the one of before; nil where it has none.
    case started(at: ClockReading, boot: String? = nil)

    /// When the input happened, by the machine's clocks.
    public var clockReading: ClockReading {
        switch self {
        case .fix(let fix): fix.received
        case .undated(let position): position.fix.received
        case .tick(let moment), .started(let moment, _): moment
        case .source(_, let moment), .battery(_, let moment), .configuration(_, let moment), .schedule(_, let moment),
            .odometer(_, let moment), .positionRequest(_, let moment):
            moment
        }
    }
}
