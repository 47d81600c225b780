import Testing

@testable import CLI

@Suite("Code that is given back")
struct CodePagesTests {
    private static let maps = """
        555cc4600000-555cc4797000 r--p 00000000 fe:00 16458197 /usr/bin/odograph
        555cc4797000-555cc5979000 r-xp 00197000 fe:00 16458197                   /usr/bin/odograph
        555cc5979000-555cc5980000 rw-p 01379000 fe:00 16458197 /usr/bin/odograph
        7f0000000000-7f0000001000 r-xp 00000000 fe:00 99 /usr/lib/libc.so.6
        7f0000002000-7f0000003000 r-xp 00000000 fe:00 98 /usr/bin/odograph (deleted)
        7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]
        """

    @Test("Is what is mapped from files to be read and executed")
    func ranges() {
        #expect(
            CodePages.codeRanges(in: Self.maps) == [
                0x555c_c479_7000..<0x555c_c597_9000, 0x7f00_0000_0000..<0x7f00_0000_1000,
                0x7f00_0000_2000..<0x7f00_0000_3000,
            ])
    }

    @Test(
        "Listings that make no sense have none",
        arguments: ["", "\n\n", "x r-xp 0 0:0 0 /a", "2-1 r-xp 0 0:0 0 /a", "- r-xp 0 0:0 0 /a", "1-2 r-xp 0 0:0 0"])
    func nonsense(maps: String) {
        #expect(CodePages.codeRanges(in: maps) == [])
    }
}
