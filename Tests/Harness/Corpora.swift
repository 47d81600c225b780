import Glibc

/// The recorded data of some tests: `../shared/corpora` relative to the project's root, or the folder that
/// `ODOGRAPH_CORPORA` names. It is not part of the project; tests that need it are disabled without it.
public enum Corpora {
    /// The project's root folder.
    public static let projectRoot: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// The folder of the corpora, or nil if it does not exist.
    public static let folder: String? = {
        let named = getenv("ODOGRAPH_CORPORA").map { String(cString: $0) }
        let path = named ?? projectRoot + "/../shared/corpora"
        return access(path, R_OK) == 0 ? path : nil
    }()

    /// Whether the corpora exist: the condition of `.enabled(if:)` of a test that needs them.
    public static var exist: Bool { folder != nil }
}
