/// The value of `when` of a rule.
package enum RuleKind: String, Hashable, Sendable, CaseIterable, Codable {
    case silent
    case geofence
    case overspeed
    case driving
    case beacon
    case tow
    case rejectedConfiguration = "rejected_configuration"
    case gap
    case noPosition = "no_position"
    case certificate
    case service
}
