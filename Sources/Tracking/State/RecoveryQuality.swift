/// How a state has to do with what was told.
public enum RecoveryQuality: Hashable, Sendable {
    /// It is the one that told it.
    case exact
    /// It has had the same inputs, but some of what was learnt of them is lost.
    case approximate
    /// Some of the inputs are lost, too.
    case incomplete
}
