/// The report on a database whose file was deleted or replaced while it was open.
public struct FileLossReport: Error, Hashable, Sendable {
    /// The database.
    public var path: String
    /// What has happened, as a part of a sentence: "the database … was deleted".
    public var cause: String
    /// Where the file is now that had taken the database's name. Nil where there was none.
    public var asidePath: String?
    /// Why no new file could be written yet: the records are in a file without a name. Nil where a complete one was.
    public var failure: StoreError?

    init(path: String, loss: OpenFileIdentities.Loss) {
        self.path = path
        let name =
            switch loss.file {
            case .database: "the database \(path)"
            case .log: "the write-ahead log \(path)\(loss.file.suffix)"
            case .sequenceReservation: "the record of the numbers \(path)\(loss.file.suffix)"
            }
        cause =
            loss.isDeleted
            ? "\(name) was deleted while the agent ran" : "another file was put in place of \(name) while the agent ran"
    }
}
