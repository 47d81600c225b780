/// The agreement of a recovered state with the published records.
public enum RecoveryQuality: Hashable, Sendable {
    /// It is the state that led to the records.
    case exact
    /// Some of the inputs are lost, or all.
    case incomplete
    /// It is an earlier state: at most so many later records were published, which no part of the vehicle knows.
    case earlier(records: Int)

    /// The largest number of revisions of one event that were published after this state.
    var laterRevisions: Int {
        switch self {
        case .exact, .incomplete: 0
        case .earlier(let records): records
        }
    }
}
