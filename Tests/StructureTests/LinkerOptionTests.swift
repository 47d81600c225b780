import Testing

/// The released program uses only documented linker options. An option that replaces or merges functions, or removes
/// the information for a debugger, would give a program that its sources do not describe.
@Suite("Linker options")
struct LinkerOptionTests {
    private static let known: Set<String> = [
        "-z", "pack-relative-relocs", "relro", "now", "--no-export-dynamic", "--strip-debug", "-T",
    ]

    @Test("The released program uses known options only, and the package sets none, except for its own tests")
    func options() throws {
        let shipped = try ProjectTree.File(path: "deploy/lib/shipped.sh").text()
        let options = shipped.matches(of: #/-Xlinker ([^\s\)]+)/#).map { String($0.1) }.filter { !$0.hasPrefix("\"") }
        #expect(options.count >= 8 && Set(options).isSubset(of: Self.known), "\(options)")
        #expect(!shipped.contains("-Wl,"))
        let manifest = try ProjectTree.File(path: "Package.swift").text()
        #expect(manifest.matches(of: #/unsafeFlags/#).count == 1)
        #expect(
            manifest.contains(
                """
                    guard isForTests, computing.contains(folder) else { return strict }
                    return strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

                """))
    }
}
