/// By what a store recognises the files that it has open: a file that takes another's name has another number on its device.
struct FileMarks {
    /// What has happened to the files of an open database.
    enum Loss: Hashable {
        case databaseDeleted
        case databaseReplaced
        case logDeleted
        case logReplaced
    }

    private let path: String
    private let files: FileSystem
    private let database: Mark?
    private let log: Mark?

    private struct Mark: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
    }

    /// Notes which files a database has, just after it was opened.
    init(path: String, files: FileSystem) {
        self.path = path
        self.files = files
        database = files.operations.status(of: path).map(Mark.init)
        log = files.operations.status(of: path + "-wal").map(Mark.init)
    }

    /// What has happened to the files since. Nil for nothing. Costs two calls of the system.
    var loss: Loss? {
        let found = files.operations.status(of: path).map(Mark.init)
        if database != nil, found != database { return found == nil ? .databaseDeleted : .databaseReplaced }
        let foundLog = files.operations.status(of: path + "-wal").map(Mark.init)
        guard log != nil, foundLog != log else { return nil }
        return foundLog == nil ? .logDeleted : .logReplaced
    }

    /// Whether a path leads to the database or its log.
    func include(_ path: String) -> Bool {
        guard let mark = files.operations.status(of: path).map(Mark.init) else { return false }
        return mark == database || mark == log
    }
}
