import Testing

@testable import CLI

@Suite("Code that is given back")
struct CodePagesTests {
    private static let maps = """
        555cc4600000-555cc4797000 r--p 00000000 fe:00 16458197 /usr/bin/odograph
        555cc4797000-555cc5979000 r-xp 00197000 fe:00 16458197 /usr/bin/odograph
        555cc5979000-555cc5980000 rw-p 01379000 fe:00 16458197 /usr/bin/odograph
        7f0000000000-7f0000001000 r-xp 00000000 fe:00 99 /usr/lib/libc.so.6
        7f0000002000-7f0000003000 r-xp 00000000 fe:00 98 /usr/bin/odograph (deleted)
        7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]
        """

    @Test(
        "Is the executable's own, read-only",
        arguments: [
            ("/usr/bin/odograph", 0x555c_c479_7000..<0x555c_c597_9000), ("/usr/bin/other", nil), ("", nil), (nil, nil),
            ("odograph", nil),
        ] as [(String?, Range<UInt>?)])
    func range(path: String?, expected: Range<UInt>?) {
        #expect(CodePages.codeRange(in: Self.maps, of: path) == expected)
    }

    @Test(
        "Listings that make no sense have none",
        arguments: ["", "\n\n", "x r-xp /a", "2-1 r-xp 0 0:0 0 /a", "- r-xp /a"])
    func nonsense(maps: String) {
        #expect(CodePages.codeRange(in: maps, of: "/a") == nil)
    }
}
