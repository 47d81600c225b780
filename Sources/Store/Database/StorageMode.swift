/// The place of a store's records.
enum StorageMode {
    /// The records are in a file.
    case file(OpenFileIdentities)
    /// The records are in memory until the file can be used. The value counts consecutive disk errors.
    case temporaryMemory(diskErrors: Int)
    /// The records are in memory only.
    case memory
}
