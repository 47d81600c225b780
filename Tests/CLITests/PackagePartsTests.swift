import Glibc
import OdographHarness
import Testing

/// Checks that the package contains only the listed versions.
@Suite("The parts of the package")
struct PackagePartsTests {
    private static let command = Corpora.projectRoot + "/deploy/debian/parts"

    /// Returns the messages that refuse parts of a `Package.resolved`.
    private func refused(_ text: String) async throws -> [Substring] {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "Package.resolved")
        let (_, _, errors) = try await ChildProcess.run(Self.command, ["check", "--resolved", path])
        // The toolchain of this machine may differ and does not count.
        return errors.split(separator: "\n").filter { $0.contains(" listed") && !$0.hasPrefix("parts: Swift is") }
    }

    @Test(
        "Another version, another revision, an additional and a missing package are refused by name")
    func differences() async throws {
        let (_, pins, _) = try await ChildProcess.run(Self.command, ["pins"])
        #expect(try await refused(pins).isEmpty)
        let version = try #require(pins.firstMatch(of: #/"version": "(\d+\.\d+\.\d+)"/#)?.1)
        let older = try await refused(pins.replacing("\"\(version)\"", with: "\"0.0.1\"", maxReplacements: 1))
        #expect(older.count == 1 && older[0].contains("0.0.1") && older[0].contains(version))
        let revision = try #require(pins.firstMatch(of: #/"revision": "([0-9a-f]{40})"/#)?.1)
        let moved = try await refused(pins.replacing(revision, with: String(repeating: "0", count: 40)))
        #expect(moved.count == 1 && moved[0].contains(revision))
        let name = try #require(pins.firstMatch(of: #/"identity": "([a-z-]+)"/#)?.1)
        let other = try await refused(pins.replacing("\"\(name)\"", with: "\"stranger\""))
        #expect(other.count == 2 && other.contains { $0.contains("stranger") && $0.contains("not listed") })
        #expect(other.contains { $0.contains(name) && $0.contains("is not used") })
    }

    /// Compares the parts with the newest versions, with doubles of git and apt-cache.
    /// - Parameters:
    ///   - tag: The newest version in Swift's repository; nil if it does not answer.
    ///   - package: The version of `swiftlang` in the package lists.
    /// - Returns: The exit code, and the lines about Swift and about `swiftlang`.
    private func newest(
        tag: String?, package: String
    ) async throws -> (ending: ChildProcess.Ending, swift: String, debian: String) {
        let folder = try TemporaryFolder()
        let answer = tag.map { "echo 'x\trefs/tags/swift-\($0)-RELEASE'" } ?? "exit 128"
        try folder.write("#!/bin/sh\ncase $* in */swiftlang/swift) \(answer) ;; esac\n", to: "git", mode: 0o755)
        try folder.write(
            "#!/bin/sh\n[ $1 != madison ] || echo ' swiftlang | \(package) | sid'\n", to: "apt-cache", mode: 0o755)
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let ran = try await ChildProcess.run(
            Self.command, ["newest"], environment: ["PATH": "\(folder.path):\(path)"])
        let lines = ran.output.split(separator: "\n").map { String($0) }
        try #require(lines.count > 2, "\(ran.errors)")
        return (ran.ending, lines[0], lines[1])
    }

    @Test("A newer Swift is a newer part, also that of Debian; where nothing tells it, the newest version is not known")
    func newestSwift() async throws {
        let silent = try await newest(tag: nil, package: "0.1-1")
        #expect(silent.ending == .exited(69), "\(silent)")
        #expect(silent.swift.hasSuffix("not known") && silent.debian.hasSuffix("not known"), "\(silent)")
        let listed = try #require(silent.swift.firstMatch(of: #/^Swift +([0-9.]+) /#).map { String($0.1) })
        let listedPackage = try #require(silent.debian.firstMatch(of: #/ ([0-9.]+-[0-9]+) /#).map { String($0.1) })
        let same = try await newest(tag: listed, package: listedPackage + "+b1")
        #expect(same.ending == .exited(0), "\(same)")
        #expect(same.swift.hasSuffix("the same") && same.debian.hasSuffix("the same"), "\(same)")
        let newer = try await newest(tag: "99.1", package: listedPackage)
        #expect(newer.ending == .exited(1) && newer.swift.hasSuffix("NEWER"), "\(newer)")
        #expect(newer.debian.hasSuffix("the same"), "\(newer)")
        let newerPackage = try await newest(tag: listed, package: "99.1-1")
        #expect(newerPackage.ending == .exited(1) && newerPackage.debian.hasSuffix("NEWER"), "\(newerPackage)")
    }

    @Test("The scripts and the documents name the oldest Swift that the tests are built with")
    func oldestSwift() throws {
        func text(_ path: String) throws -> String { try FileContents.text(Corpora.projectRoot + "/" + path) }
        let parts = try text("deploy/debian/parts.json")
        let oldest = try #require(parts.firstMatch(of: #/"cross": \{ "version": "([0-9.]+)"/#)?.1)
        #expect(try text("deploy/lib/common.sh").contains("\noldest_swift=\(oldest)\n"))
        for path in ["README.md", "Sources/Odograph/Odograph.docc/Contributing.md"] {
            #expect(try text(path).contains("Swift \(oldest) or later"), "\(path)")
        }
    }
}
