/// The identities (device and inode) of the files that a store has open.
struct OpenFileIdentities {
    /// The loss of a file of an open database.
    struct Loss: Hashable {
        var file: File
        /// Whether the file was deleted; otherwise it was replaced.
        var isDeleted: Bool
    }

    /// A file of a database. The reservation file is recognised by its content: ``SequenceAllocator/fileLoss``.
    enum File {
        case database, log, sequenceReservation

        /// The suffix of the file's name after the database's name.
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

    /// Notes the files of a database, just after it was opened.
    init(path: String, files: StoreFileSystem) {
        self.path = path
        self.files = files
        var marks: [File: InodeIdentity] = [:]
        for file in Self.open { marks[file] = files.operations.status(of: path + file.suffix).map(InodeIdentity.init) }
        self.identities = marks
    }

    /// The loss since then. Nil if there is none. Costs one system call for each file.
    var loss: Loss? {
        for file in Self.open {
            guard let mark = identities[file] else { continue }
            let found = files.operations.status(of: path + file.suffix).map(InodeIdentity.init)
            if found != mark { return Loss(file: file, isDeleted: found == nil) }
        }
        return nil
    }

    /// Returns whether a path leads to one of the files.
    func contains(_ path: String) -> Bool {
        guard let mark = files.operations.status(of: path).map(InodeIdentity.init) else { return false }
        return identities.values.contains(mark)
    }
}
