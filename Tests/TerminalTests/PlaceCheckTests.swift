import Testing

@testable import OdographTerminal

@Suite("The doctor's check of a place on the disk")
struct PlaceCheckTests {
    @Test("The file system of a path is that of its longest mount point")
    func mounts() {
        let table = """
            22 1 8:1 / / rw - ext4 /dev/sda1 rw
            23 22 0:5 / /dev/shm rw,nosuid shared:2 - tmpfs tmpfs rw
            24 22 0:9 / /srv rw - nfs4 host:/x rw
            garbage
            25 22 0:9 / /srv rw -
            26 22 0:9 / /srv rw nothing
            """
        #expect(PlaceCheck.fileSystem(of: "/var/lib", mounts: table) == "ext4")
        #expect(PlaceCheck.fileSystem(of: "/dev/shm/x", mounts: table) == "tmpfs")
        #expect(PlaceCheck.fileSystem(of: "/dev/shmx", mounts: table) == "ext4")
        #expect(PlaceCheck.fileSystem(of: "/srv", mounts: table) == "nfs4")
        #expect(PlaceCheck.fileSystem(of: "/x", mounts: "") == nil)
    }
}
