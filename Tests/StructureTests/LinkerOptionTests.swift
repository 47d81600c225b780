import Testing

/// What ships is linked as the linker's manual describes: an option that replaces or folds functions, or that drops what a
/// debugger needs, would make a program that its sources do not describe.
@Suite("The options of the linker")
struct LinkerOptionTests {
    private static let known: Set<String> = [
        "-z", "pack-relative-relocs", "relro", "now", "--no-export-dynamic", "--strip-debug", "-T",
    ]

    @Test("Those of the program that ships are documented ones, and the package asks for none")
    func options() throws {
        let shipped = try ProjectTree.File(path: "deploy/lib/shipped.sh").text()
        let options = shipped.matches(of: #/-Xlinker ([^\s\)]+)/#).map { String($0.1) }.filter { !$0.hasPrefix("\"") }
        #expect(options.count >= 8 && Set(options).isSubset(of: Self.known), "\(options)")
        #expect(!shipped.contains("-Wl,"))
        let manifest = try ProjectTree.File(path: "Package.swift").text()
        #expect(!manifest.contains("unsafeFlags"))
    }
}
