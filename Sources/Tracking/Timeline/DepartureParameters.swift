/// The limits that date a departure.
enum DepartureParameters {
    /// The distance beyond the noise around a stop that proves a departure, metres.
    static let clearanceMeters = StopAnchor.clearanceMeters
    /// The same distance for a tentative departure and for a speed above a walk, metres. Also the least distance by the
    /// odometer until then.
    static let minimumClearanceMeters = clearanceMeters / 2
    /// The number of windows in a row that must lead away from a stop. Two may be one jump of the position and its echo
    /// in the mean.
    static let movingAwayWindowCount = 3
    /// The longest time that a pedestrian takes to leave the core of a stop, seconds: 20 m at 0.7 m/s.
    static let longestDepartureSeconds = 30.0
    /// The number of windows that show a return to a place.
    static let returnWindowCount = 4
}
