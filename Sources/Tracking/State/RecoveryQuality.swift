/// The agreement of a recovered state with the published records.
public enum RecoveryQuality: Hashable, Sendable {
    /// It is the state that led to the records.
    case exact
    /// Some of the inputs are lost, or all.
    case incomplete
}
