/// The agreement of a recovered state with the published records.
public enum RecoveryQuality: Hashable, Sendable {
    /// It is the state that led to the records.
    case exact
    /// It has had the same inputs, but some derived values are lost.
    case approximate
    /// Some of the inputs are lost as well.
    case incomplete
}
