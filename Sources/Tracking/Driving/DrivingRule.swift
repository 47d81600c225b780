/// The configuration of the driving style: the accelerations from which driving is harsh, and what else is counted.
///
/// The default thresholds are those of naturalistic driving studies that relate such events to crashes: Simons-Morton,
/// Zhang, Jackson and Albert, Do Elevated Gravitational-Force Events While Driving Predict Crashes and Near Crashes?,
/// American Journal of Epidemiology 175 (10), 2012.
public struct DrivingRule: Hashable, Sendable, Codable {
    /// The forward acceleration from which it is harsh, in units of standard gravity, > 0.
    public var accelerationG = 0.35
    /// The deceleration from which braking is harsh, in units of standard gravity, > 0.
    public var brakingG = 0.45
    /// The sideways acceleration from which cornering is harsh, in units of standard gravity, > 0.
    public var corneringG = 0.5
    /// The time from which a running engine at a halt is an event, seconds, > 0; nil: never.
    public var idlingSeconds: Double?
    /// The speed above which time counts for the share over the limit, m/s, > 0; nil: no share.
    public var speedLimitMetersPerSecond: Double?

    /// Creates the default configuration.
    public init() {}
}
