/// The part of the rules that finds what does not come: a silent vehicle, or a gap that does not fill.
package protocol RuleWatch: AnyObject {
    /// Looks for silent vehicles and, if they are given, for gaps that do not fill.
    /// - Parameters:
    ///   - connectedSince: Since when the recorder has been connected to the broker; nil while it is not.
    ///   - gaps: The open gaps that are watched; nil to look for none.
    func tick(connectedSince: ContinuousClock.Instant?, gaps: [OpenGap]?) throws(DatabaseFailure)

    /// Returns how many vehicles have made no sign of life for an hour although they should report.
    func silentCount(connectedSince: ContinuousClock.Instant?) -> Int
}

/// A range of numbers of a vehicle that are missing without an explanation.
package struct OpenGap: Hashable, Sendable {
    /// The key of the vehicle.
    var vehicle: Int64
    var epoch: Int64
    var numbers: ClosedRange<Int64>
}
