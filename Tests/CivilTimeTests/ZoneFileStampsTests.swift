import Glibc
import OdographCivilTime
import OdographHarness
import Testing

@Suite("The states of a zone's files")
struct ZoneFileStampsTests {
    private let folder: ZoneFolder

    init() throws {
        folder = try .homeAndAway()
        try folder.setMachineZone("Home")
    }

    private var machineStamps: ZoneFileStamps { folder.zones.stamps(ofZone: nil, machine: folder.machine) }
    private var namedStamps: ZoneFileStamps { folder.zones.stamps(ofZone: "Home", machine: folder.machine) }

    @Test("They stay equal while nothing changes")
    func same() {
        #expect(machineStamps == machineStamps && namedStamps == namedStamps)
        #expect(folder.zones.stamps(ofZone: "Missing") == folder.zones.stamps(ofZone: "Missing"))
        #expect(folder.zones.stamps(ofZone: "Away") != namedStamps)
    }

    @Test(
        "A replaced file, a written file and a removed file differ, by name and as the machine's zone", arguments: 0..<3
    )
    func file(way: Int) throws {
        let (machine, named) = (machineStamps, namedStamps)
        switch way {
        case 0: try folder.install("Europe/Madrid", as: "Home")
        case 1: try folder.overwrite("Home", with: "Europe/Madrid")
        default: unlink(folder.folder.file("Home"))
        }
        #expect(machineStamps != machine)
        #expect(namedStamps != named)
    }

    @Test("Another link of the machine, and another name in its file, differ")
    func machine() throws {
        let first = machineStamps
        try folder.setMachineZone("Away")
        let second = machineStamps
        #expect(first != second)
        try folder.folder.write("Away\n", to: "timezone")
        #expect(machineStamps != second)
    }

    @Test(
        "With TZ, the files are those of its name or path, and the machine's link has no effect",
        arguments: ["Home", ":Home", "/"])
    func environment(value: String) throws {
        var machine = folder.machine
        machine.environmentValue = value == "/" ? folder.folder.file("Home") : value
        let first = folder.zones.stamps(ofZone: nil, machine: machine)
        try folder.setMachineZone("Away")
        #expect(folder.zones.stamps(ofZone: nil, machine: machine) == first)
        try folder.install("Europe/Madrid", as: "Home")
        #expect(folder.zones.stamps(ofZone: nil, machine: machine) != first)
    }
}
