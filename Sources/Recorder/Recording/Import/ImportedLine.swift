/// The content of a line of a file of positions.
enum ImportedLine: Hashable, Sendable {
    /// A position.
    case position(ImportedPosition)
    /// Something that is no position, such as the head of a table, or the last will of a client.
    case other
    /// A position that cannot be read.
    case unreadable(UnreadableLine)

    /// Reads a position, or notes why it is none.
    init(_ read: () throws(UnreadableLine) -> ImportedPosition?) {
        do throws(UnreadableLine) {
            self = try read().map { .position($0) } ?? .other
        } catch {
            self = .unreadable(error)
        }
    }
}
