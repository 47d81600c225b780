import OdographHarness
import OdographJSON
import Testing

/// The rules for every file.
@Suite("House rules")
struct HouseRuleTests {
    /// The allowed entries of the project's root folder.
    private static let topLevel: Set<String> = [
        ".ci", ".gitignore", ".swift-format", "CHANGELOG.md", "LICENSE", "Package.swift", "README.md", "Sources",
        "Tests", "config", "deploy",
    ]
    /// The largest length of a file, lines.
    private static let longest = 400
    /// This file, which must name the forbidden words.
    private static let thisFile = "Tests/StructureTests/HouseRuleTests.swift"

    private static var swiftFiles: [ProjectTree.File] {
        ProjectTree.swiftFiles(below: "Sources") + ProjectTree.swiftFiles(below: "Tests")
    }

    /// All files that were written for the project.
    private static var allFiles: [ProjectTree.File] {
        ["Sources", "Tests", "deploy", "config", ".ci"].flatMap(ProjectTree.files(below:))
            + ["Package.swift", "README.md", "CHANGELOG.md"].map(ProjectTree.File.init(path:))
    }

    /// Returns the lines that contain a text, with the names of their files.
    private func lines(of files: [ProjectTree.File], with text: String) throws -> [String] {
        try files.filter { $0.path != Self.thisFile }.flatMap { file in
            try file.lines(with: text).map { "\(file): \($0)" }
        }
    }

    @Test("The root folder contains the expected entries and nothing else")
    func top() {
        #expect(Set(ProjectTree.entries(of: "")) == Self.topLevel)
    }

    @Test("A file is short enough to be read at once")
    func length() throws {
        for file in Self.swiftFiles {
            let count = try file.read().count { $0 == UInt8(ascii: "\n") }
            #expect(count <= Self.longest, "\(file) has \(count) lines")
        }
    }

    @Test(
        "The compiler's checks are not disabled, and bad input does not end the process",
        arguments: ["@unchecked", "nonisolated(unsafe)", "try!", "as!", "fatalError("])
    func checks(word: String) throws {
        #expect(try lines(of: ProjectTree.swiftFiles(below: "Sources"), with: word) == [])
    }

    @Test("Work that blocks has a thread of its own: a detached task has one of the few that all tasks share")
    func detached() throws {
        #expect(try lines(of: Self.swiftFiles, with: "Task.detached") == [])
    }

    @Test("No work is unfinished", arguments: ["TODO", "FIXME", "XXX:", "HACK", "or now,", "or now.", "or now)"])
    func unfinished(word: String) throws {
        #expect(try lines(of: Self.allFiles, with: word) == [])
    }

    @Test("No file contains a path of a certain machine", arguments: ["/work/", "/home/", "/root/", "/Users/"])
    func machines(folder: String) throws {
        #expect(try lines(of: Self.allFiles, with: folder) == [])
    }

    @Test("Scripts are executable, and executable files are scripts")
    func modes() throws {
        for file in ["deploy", ".ci", "config", "Sources", "Tests"].flatMap(ProjectTree.files(below:)) {
            let isScript = try file.read().starts(with: "#!".utf8)
            #expect(file.isExecutable == isScript, "\(file)")
        }
    }

    @Test("Shell scripts parse, and stop at the first failure")
    func scripts() async throws {
        for file in ["deploy", ".ci"].flatMap(ProjectTree.files(below:)) {
            let lines = try file.lines()
            let isMain = lines.first?.hasSuffix("bash") ?? false
            guard isMain || lines.first?.hasSuffix("/sh") ?? false || file.path.hasSuffix(".sh") else { continue }
            let (ending, _, errors) = try await ChildProcess.run("bash", ["-n", file.absolutePath])
            #expect(ending == .exited(0), "\(errors)")
            if isMain { #expect(lines.contains("set -euo pipefail"), "\(file)") }
        }
    }

    @Test(
        "No script that stops at a failed pipe closes a pipe before its writer has ended",
        arguments: [" | head", " | grep -q"])
    func pipes(reader: String) throws {
        // The writer would end with SIGPIPE, which counts as a failure when the text is longer than the pipe.
        let scripts = try ["deploy", ".ci", "Tests"].flatMap(ProjectTree.files(below:)).filter { file in
            try file.read().starts(with: "#!".utf8) && file.lines().contains("set -euo pipefail")
        }
        let sourced = ["deploy"].flatMap(ProjectTree.files(below:)).filter { $0.path.hasSuffix(".sh") }
        #expect(scripts.count > 10)
        for file in scripts + sourced {
            // A command in quotes runs in a shell of its own.
            let lines = try file.lines(with: reader).filter { !$0.contains("sh -c '") }
            #expect(lines.isEmpty, "\(file): \(lines)")
        }
    }

    @Test("Each listed mutant that no test can notice changes a line that exists")
    func equivalentMutants() throws {
        struct Entry: Decodable {
            var path: String
            var text: String
        }
        let entries = try JSONCoder.decode(
            [Entry].self, from: try ProjectTree.File(path: "Tests/Mutation/equivalent.json").read())
        #expect(entries.count > 10)
        for entry in entries {
            let lines = try ProjectTree.File(path: entry.path).lines(with: entry.text)
            #expect(!lines.isEmpty, "\(entry.path): \(entry.text)")
        }
    }
}
