/// Evaluates batches in the transactions that store them. What it decides is stored together with the messages, or not
/// at all. The recorder does not know what that is.
protocol BatchObserver: AnyObject {
    /// Stores what follows from a batch, in its transaction.
    func evaluate(_ changes: StoredChanges) throws(DatabaseFailure)

    /// Forgets what a rolled back transaction may have changed.
    func forget()
}
