import Testing

@testable import OdographCLI

@Suite("Reclaimable pages of files")
struct FilePageReclaimerTests {
    private static let listing = """
        555cc4600000-555cc4797000 r--p 00000000 fe:00 16458197 /usr/bin/odograph
        Size:               1628 kB
        Rss:                 800 kB
        Anonymous:             0 kB
        VmFlags: rd mr mw me sd
        555cc4797000-555cc5979000 r-xp 00197000 fe:00 16458197                   /usr/bin/odograph
        Anonymous:             0 kB
        555cc5979000-555cc597a000 r--p 01379000 fe:00 16458197 /usr/bin/odograph
        Anonymous:             4 kB
        555cc597a000-555cc5980000 rw-p 0137a000 fe:00 16458197 /usr/bin/odograph
        Anonymous:             0 kB
        555cc6000000-555cc6001000 r--p 00000000 00:00 0 [heap]
        Anonymous:             0 kB
        7f0000000000-7f0000001000 r-xp 00000000 fe:00 99 /usr/lib/libc.so.6
        Anonymous:             0 kB
        7f0000002000-7f0000003000 r-xp 00000000 fe:00 98 /usr/bin/odograph (deleted)
        Anonymous:             0 kB
        7f0000004000-7f0000005000 r--s 00000000 fe:00 97 /var/cache/of-another
        Anonymous:             0 kB
        7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]
        Anonymous:             0 kB
        """

    @Test("Reclaimable pages are mapped from files, are not writable and were never written")
    func ranges() {
        #expect(
            FilePageReclaimer.cleanRanges(in: Self.listing) == [
                0x555c_c460_0000..<0x555c_c479_7000, 0x555c_c479_7000..<0x555c_c597_9000,
                0x7f00_0000_0000..<0x7f00_0000_1000, 0x7f00_0000_2000..<0x7f00_0000_3000,
            ])
    }

    @Test(
        "An invalid listing has no reclaimable pages",
        arguments: ["", "\n\n", "x r-xp 0 0:0 0 /a", "2-1 r-xp 0 0:0 0 /a", "- r-xp 0 0:0 0 /a", "1-2 r-xp 0 0:0 0"])
    func nonsense(listing: String) {
        #expect(FilePageReclaimer.cleanRanges(in: listing + "\nAnonymous: 0 kB\n") == [])
        #expect(FilePageReclaimer.cleanRanges(in: listing) == [])
    }

    @Test("A mapping without a count of written pages is not reclaimed")
    func unsaid() {
        let listing = "1000-2000 r-xp 0 fe:0 9 /a\n3000-4000 rw-p 0 fe:0 9 /b\nAnonymous: 0 kB"
        #expect(FilePageReclaimer.cleanRanges(in: listing) == [])
    }
}
