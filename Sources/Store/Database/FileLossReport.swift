/// The report on a database whose file was deleted or replaced while it was open.
package struct FileLossReport: Error, Hashable, Sendable {
    /// The cause as a clause: "the database … was deleted".
    package var cause: String
    /// The new path of the file that had replaced the database's file. Nil if there was none.
    package var asidePath: String?
    /// The reason why the records are still in a file without a name. Nil if a new file was written.
    package var failure: StoreError?

    init(path: String, loss: OpenFileIdentities.Loss) {
        let name =
            switch loss.file {
            case .database: "the database \(path)"
            case .log: "the write-ahead log \(path)\(loss.file.suffix)"
            case .sequenceReservation: "the file of reserved record numbers \(path)\(loss.file.suffix)"
            }
        cause =
            loss.isDeleted
            ? "\(name) was deleted while the agent ran" : "\(name) was replaced by another file while the agent ran"
    }
}
