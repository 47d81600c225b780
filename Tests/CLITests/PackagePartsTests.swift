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
}
