import Testing

/// Printed text may come from another machine. One place escapes it, and all output goes through that place.
@Suite("Terminal rules")
struct TerminalRuleTests {
    /// The only file that writes to the terminal.
    private static let console = "Sources/Console/Console.swift"
    /// The only file with control sequences.
    private static let sequences = "Sources/Terminal/Text/TerminalText.swift"

    /// Returns the lines of code below Sources that match a pattern, except those of one file.
    private func lines(matching pattern: Regex<Substring>, besides file: String) throws -> [String] {
        try ProjectTree.swiftFiles(below: "Sources").filter { $0.path != file }.flatMap { source in
            try source.lines().filter { line in
                let isComment = line.drop { $0 == " " }.hasPrefix("//")
                return try !isComment && pattern.firstMatch(in: line) != nil
            }.map { "\(source): \($0)" }
        }
    }

    @Test("Only Console writes to the terminal")
    func writing() throws {
        let found = try lines(
            matching:
                #/(?:^|[^.\w])(?:print|debugPrint|dump|puts|fputs|fwrite|printf|fprintf|vprintf|perror)\(|STDOUT_FILENO|STDERR_FILENO|\bstdout\b|\bstderr\b|FileHandle|/dev/tty/#,
            besides: Self.console)
        #expect(found == [])
    }

    @Test("Only one file contains control sequences")
    func escaping() throws {
        #expect(try lines(matching: #/\\u\{0*(?:1[bB]|9[bB])\}/#, besides: Self.sequences) == [])
    }
}
