import OdographGeodesy

/// The thresholds for entering and exiting a geofence. They come from the noise of receivers.
///
/// Android's geofencing guide recommends radii of 100 m and more, and answers after minutes. Here hysteresis and the
/// agreement of fixes suppress noise instead.
enum GeofenceThresholds {
    /// The fixes in a row that make a change certain: a wild position rarely lasts three reports.
    static let requiredFixes = 3
    /// The same where fixes are sparse.
    static let requiredSparseFixes = 2
    static let requiredSeconds = 3.0
    /// How long fixes must be clear of the geofence before an exit, seconds: a single one may be wild.
    static let clearanceSeconds = 1.0
    /// A vehicle inside for this long is inside however near the edge, seconds: noise is correlated over less.
    static let sustainedSeconds = 30.0

    /// The smallest exit margin beyond the edge, metres: multipath in streets shifts a receiver by as much.
    static let minimumExitMarginMeters = 20.0
    /// The exit margin as a share of a circle's radius or a corridor's half width, which are drawn roughly. A polygon's
    /// edge is drawn exactly, and noise does not grow with its size.
    static let exitMarginRatio = 0.1

    /// A speed that cannot be noise of the Doppler measurement, m/s: its error is about 0.1 to 0.5.
    static let certainSpeedMetersPerSecond = 2.0
    /// The smallest share of the driven distance that a departing vehicle gains: within 60° of straight.
    static let minimumOutwardRatio = 0.5

    /// The depth of a fix that confirms an entry, as a share of its 95 % radius: half of it is 1.2 standard deviations
    /// of an axis, so nine in ten such fixes are inside.
    static let entryDepthRatio = 0.5
    /// A 95 % radius above this multiple of the geofence's radius gives no evidence of being inside: even at the centre
    /// the vehicle would be as often outside.
    static let maximumAccuracyRatio = 2.0

    /// How far below the limit it is kept again, m/s: three standard errors of a Doppler speed in the open.
    static let speedHysteresisMetersPerSecond = 1.0

    static func exitMarginMeters(reachMeters: Double) -> Double {
        max(minimumExitMarginMeters, exitMarginRatio * reachMeters)
    }
}
