import Glibc

/// The executables that were built together with the tests.
public enum BuiltProgram {
    /// Returns the path of an executable.
    public static func path(_ name: String) -> String {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let test = String(decoding: path.prefix(max(count, 0)).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        // A test runner outside of the build folder gets the path of the test bundle as an argument.
        for candidate in [test] + CommandLine.arguments {
            let beside =
                candidate.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/") + "/" + name
            if access(beside, X_OK) == 0 { return beside }
        }
        return Corpora.projectRoot + "/.build/debug/" + name
    }
}
