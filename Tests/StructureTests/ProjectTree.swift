import Glibc
import OdographHarness

/// The files of the project, without build products.
enum ProjectTree {
    /// A file, with its path from the project's root.
    struct File: Sendable, CustomStringConvertible {
        let path: String

        var description: String { path }
        /// The absolute path.
        var absolutePath: String { Corpora.projectRoot + "/" + path }
        /// The folders of the path.
        var folders: [Substring] { path.split(separator: "/").dropLast() }
        /// Whether the file is executable.
        var isExecutable: Bool {
            var status = stat()
            return stat(absolutePath, &status) == 0 && status.st_mode & 0o111 != 0
        }

        /// Returns the bytes.
        func read() throws -> [UInt8] { try FileContents.bytes(absolutePath) }

        /// Returns the content as text.
        func text() throws -> String { String(decoding: try read(), as: UTF8.self) }

        /// Returns the lines without their ends.
        func lines() throws -> [Substring] { try text().split(separator: "\n", omittingEmptySubsequences: false) }

        /// Returns the lines that contain a text. The C library searches, because there are many files and few matches.
        func lines(with text: String) throws -> [String] {
            let content = (try read() + [0]).map { CChar(truncatingIfNeeded: $0) }
            let newline = Int32(UInt8(ascii: "\n"))
            return content.withUnsafeBufferPointer { content in
                guard let start = content.baseAddress else { return [] }
                var found: [String] = []
                var rest = start
                while let hit = strstr(rest, text) {
                    let end = strchr(hit, newline).map { UnsafePointer($0) } ?? start + content.count - 1
                    var begin = UnsafePointer(hit)
                    while begin > start, Int32(begin[-1]) != newline { begin -= 1 }
                    let line = UnsafeBufferPointer(start: begin, count: begin.distance(to: end))
                    found.append(String(decoding: line.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self))
                    rest = end
                }
                return found
            }
        }
    }

    /// Returns the problem codes of the agent.
    static func problemCodes() throws -> [String] { try problemCodeMembers().map(\.code) }

    /// Returns the members of `Problem.Code`, each with its code.
    static func problemCodeMembers() throws -> [(member: String, code: String)] {
        try File(path: "Sources/Wire/Problem+Code.swift").text()
            .matches(of: #/ static let (\w+) = Self\(rawValue: "(\w+)"\)/#).map { (String($0.1), String($0.2)) }
    }

    /// Returns all files below a folder, in order.
    static func files(below folder: String) -> [File] {
        entries(of: folder).flatMap { name in
            let path = folder.isEmpty ? name : folder + "/" + name
            return isFolder(path) ? files(below: path) : [File(path: path)]
        }
    }

    /// Returns all Swift files below a folder.
    static func swiftFiles(below folder: String) -> [File] {
        files(below: folder).filter { $0.path.hasSuffix(".swift") }
    }

    /// Returns the names in a folder, in order, without those that git ignores.
    static func entries(of folder: String) -> [String] {
        guard let stream = opendir(Corpora.projectRoot + "/" + folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !isForeign(name) { names.append(name) }
        }
        return names.sorted()
    }

    private static func isForeign(_ name: String) -> Bool {
        [".", "..", ".git", ".swiftpm", ".vscode", "Package.resolved", "artefacts", "__pycache__"].contains(name)
            || name.hasPrefix(".build") || name.contains(".db") || name == ".index-build"
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(Corpora.projectRoot + "/" + path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
