/// By what a store recognises the files that it has open: a file that takes another's name has another number on its device.
struct OpenFileIdentities {
    /// What has happened to a file of an open database.
    struct Loss: Hashable {
        var file: File
        /// Whether there is no file any more; otherwise there is another one.
        var isDeleted: Bool
    }

    /// A file of a database. That of the numbers is not open, and known by its content: ``SequenceAllocator/fileLoss``.
    enum File {
        case database, log, sequenceReservation

        /// What its name has behind that of the database.
        var suffix: String {
            switch self {
            case .database: ""
            case .log: "-wal"
            case .sequenceReservation: StoreFileSystem.reservationSuffix
            }
        }
    }

    private static let open: [File] = [.database, .log]

    private let path: String
    private let files: StoreFileSystem
    private let identities: [File: InodeIdentity]

    private struct InodeIdentity: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
    }

    /// Notes which files a database has, just after it was opened.
    init(path: String, files: StoreFileSystem) {
        self.path = path
        self.files = files
        var marks: [File: InodeIdentity] = [:]
        for file in Self.open { marks[file] = files.operations.status(of: path + file.suffix).map(InodeIdentity.init) }
        self.identities = marks
    }

    /// What has happened to the files since. Nil for nothing. Costs a call of the system for each.
    var loss: Loss? {
        for file in Self.open {
            guard let mark = identities[file] else { continue }
            let found = files.operations.status(of: path + file.suffix).map(InodeIdentity.init)
            if found != mark { return Loss(file: file, isDeleted: found == nil) }
        }
        return nil
    }

    /// Whether a path leads to one of the files.
    func contains(_ path: String) -> Bool {
        guard let mark = files.operations.status(of: path).map(InodeIdentity.init) else { return false }
        return identities.values.contains(mark)
    }
}
