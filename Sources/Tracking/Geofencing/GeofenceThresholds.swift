import Geodesy

/// The numbers by which a geofence is entered and left.
///
/// They come from the noise of receivers, and from what others found to work: Android's geofencing guide recommends
/// radii of 100 m and more and answers after minutes; here noise is met by hysteresis and by agreement instead.
enum GeofenceThresholds {
    /// So many fixes in a row, over so many seconds, make a change certain: a multipath or spoofed position of a consumer
    /// receiver rarely lasts three epochs.
    static let requiredFixes = 3
    /// Where fixes come seldom.
    static let requiredSparseFixes = 2
    static let requiredSeconds = 3.0
    /// Of the fixes that are outside the last ones must be clear of the fence for so long, seconds: one alone may be wild.
    static let clearanceSeconds = 1.0
    /// Who stays inside for this long is inside, however near the edge, seconds: noise is correlated over less.
    static let sustainedSeconds = 30.0

    /// A fence is left this far beyond its edge at the least, metres: what multipath in streets shifts a receiver by.
    static let minimumExitMarginMeters = 20.0
    /// Circles, and corridors by their half width, are drawn roughly round a place: a tenth of the radius. A polygon's
    /// edge is drawn where it is meant to be, and noise does not grow with its size.
    static let exitMarginRatio = 0.1

    /// A speed that the Doppler measurement cannot mistake for noise, m/s: its error is about 0.1 to 0.5.
    static let certainSpeedMetersPerSecond = 2.0
    /// Who drives away from a fence gets farther from it by this part of the way at the least: within 60° of straight.
    static let minimumOutwardRatio = 0.5

    /// A fence is entered when a fix lies this deep in it, in parts of the fix's 95 % radius: at half of it, which is 1.2
    /// standard deviations of an axis, nine in ten such fixes are inside.
    static let entryDepthRatio = 0.5
    /// A fix whose 95 % radius is greater than this many times the radius of the fence says nothing of being inside: even
    /// at the centre it would be as often outside.
    static let maximumAccuracyRatio = 2.0

    /// Below the limit by this much it is kept again, m/s: three standard errors of a Doppler speed in the open.
    static let speedHysteresisMetersPerSecond = 1.0

    static func exitMarginMeters(reachMeters: Double) -> Double {
        max(minimumExitMarginMeters, exitMarginRatio * reachMeters)
    }
}
