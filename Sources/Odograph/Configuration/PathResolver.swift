/// Says where a path of a configuration file leads: a relative one starts at the file's own folder.
struct PathResolver: Sendable {
    /// The folder of the configuration file; nil where it came from elsewhere.
    var folder: String?

    func resolve(_ path: String) -> String {
        guard let folder, !path.hasPrefix("/") else { return path }
        return folder.isEmpty ? path : folder + "/" + path
    }

    /// The folder that a file lies in.
    static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "" }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }
}
