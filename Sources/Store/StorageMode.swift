/// Where a store has its records.
enum StorageMode {
    /// In a file.
    case file(OpenFileIdentities)
    /// In memory, until its file can be used. So many attempts in a row to open it have failed with an error of the disk.
    case temporaryMemory(diskErrors: Int)
    /// In memory.
    case memory
}
