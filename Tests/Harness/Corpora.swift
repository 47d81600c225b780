import Glibc

/// The real data that some tests run against: `../shared/corpora` from the project's root, or the folder that
/// `ODOGRAPH_CORPORA` names. It is not part of the project; a test that needs it is disabled where it is missing.
public enum Corpora {
    /// The project's root folder.
    public static let projectRoot: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// The corpora's folder, or nil where there is none.
    public static let folder: String? = {
        let named = getenv("ODOGRAPH_CORPORA").map { String(cString: $0) }
        let path = named ?? projectRoot + "/../shared/corpora"
        return access(path, R_OK) == 0 ? path : nil
    }()

    /// Whether there are corpora: the condition of `.enabled(if:)` of a test that needs them.
    public static var exist: Bool { folder != nil }
}
