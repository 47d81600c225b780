/// Where a store has its records.
enum StorePlace {
    /// In a file.
    case file(FileMarks)
    /// In memory, until its file can be used. So many attempts in a row to open it have failed with an error of the disk.
    case memoryForNow(diskErrors: Int)
    /// In memory.
    case memory
}
