import Testing

/// What is printed may be data from afar. One place makes it fit to be shown, and nothing goes around that.
@Suite("Terminal rules")
struct TerminalRuleTests {
    /// The file that alone writes to the terminal.
    private static let console = "Sources/CLI/Console.swift"
    /// The file that alone knows control sequences.
    private static let sequences = "Sources/Operator/Terminal/TerminalText.swift"

    /// The lines of code below Sources that a pattern matches, but for one file.
    private func lines(matching pattern: Regex<Substring>, besides file: String) throws -> [String] {
        try ProjectTree.swiftFiles(below: "Sources").filter { $0.path != file }.flatMap { source in
            try source.lines().filter { line in
                let isComment = line.drop { $0 == " " }.hasPrefix("//")
                return try !isComment && pattern.firstMatch(in: line) != nil
            }.map { "\(source): \($0)" }
        }
    }

    @Test("Nothing is written to the terminal but by Console")
    func writing() throws {
        let found = try lines(
            matching:
                #/(?:^|[^.\w])(?:print|debugPrint|dump|puts|fputs|fwrite|printf|fprintf|vprintf|perror)\(|STDOUT_FILENO|STDERR_FILENO|\bstdout\b|\bstderr\b|FileHandle|/dev/tty/#,
            besides: Self.console)
        #expect(found == [])
    }

    @Test("Control sequences stand in one file")
    func escaping() throws {
        #expect(try lines(matching: #/\\u\{0*(?:1[bB]|9[bB])\}/#, besides: Self.sequences) == [])
    }
}
