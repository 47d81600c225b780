/// The figures by which a departure is dated.
enum DepartureParameters {
    /// How far out of the noise around a stay somebody must be to have left it, metres.
    static let clearanceMeters = 30.0
    /// Half of that: for a departure that may be taken back or is made at a speed that nobody walks at, and of the way that
    /// the odometer has counted by then.
    static let minimumClearanceMeters = clearanceMeters / 2
    /// So many epochs in a row say that somebody goes away from a place: two may be one jump of the position and its echo
    /// in the mean.
    static let movingAwayWindowCount = 3
    /// It takes a walker no longer than this out of the core of a stay, seconds: 20 m at 0.7 m/s.
    static let longestDepartureSeconds = 30.0
    /// Walls and roofs cost a receiver at least a third of its accuracy (3 to 5 m outdoors against 6 to 30 m indoors is
    /// usual): so much is the least step of its logarithm.
    static let indoorExitLogAccuracyStep = 0.4
    /// A coming out is told within a minute or not at all, seconds: an older step is as likely to be found by asking for
    /// long enough, and soon the way says so itself.
    static let longestIndoorExitAgeSeconds = 60.0
    /// How many epochs tell what was usual.
    static let baselineWindowCounts = 4...24
}
