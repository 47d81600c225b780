import OdographCivilTime
import Glibc
import OdographHarness
import Logging
import OdographJSON
import OdographModel
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("Stored geofences")
struct GeofenceArchiveTests {
    private func address() throws -> DeviceAddress { try DeviceAddress(fleet: "acme", device: "van-7") }

    /// Returns the sets that an agent with this store knows at its start.
    private func kept(besideStore path: String) async throws -> @Sendable (UInt64) -> GeofenceSet? {
        let least =
            #"{"fleet":"acme","device":"van-7","groups":["vans"],"broker":{"url":"mqtts://broker.example:8883"}}"#
        let document = try JSON5Parser.value(of: Array(least.utf8)).replacing(["store", "path"], with: .string(path))
        let clock = TestClock(ClockReading(replayed: Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)))
        let geofences = try await RemoteGeofences.load(
            try AgentConfiguration(document: document, origin: "sample", paths: PathResolver(folder: nil)),
            groups: ["vans"], clock: clock, problems: ProblemRegistry(clock: clock),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        return await geofences.storedSetLookup
    }

    private func desk() throws -> GeofenceCatalog { GeofenceCatalog(address: try address(), groups: ["vans"]) }

    @Test("A run finds the generation that the previous run stored, and the one before it")
    func generations() async throws {
        let folder = try TemporaryFolder()
        let archive = GeofenceArchive(besideStore: folder.file("agent.db"))
        #expect(try archive.generations() == [])
        let layer = GeofenceLayer(level: .group("vans"), isSingle: false)
        var old: [GeofenceArchive.Generation] = []
        for radius in [50.0, 60, 70] {
            let set = GeofenceSet([try circle("a", radius: radius), try circle("b")])
            var facts = GeofenceLevelStatus(level: "group:vans")
            facts.apply("hash \(radius)", GeofenceProblemList(topic: "t"))
            let new = GeofenceArchive.Generation(
                identity: set.identity, layers: [try archive.write(set, of: layer)], facts: [facts])
            try archive.commit(new, keeping: old)
            old = try archive.generations()
            #expect(old.first == new)
        }
        #expect(old.count == 2)
        // Two sets and the manifest; the file of the oldest generation is deleted.
        #expect(FileReader.entryNames(in: archive.folder).count == 3)
        for generation in old {
            var desk = try desk()
            try desk.restore(generation, archive)
            #expect(desk.activeSet.identity == generation.identity)
            #expect(desk.report.levels.first?.hash == generation.facts.first?.hash)
        }
        // A saved tracker state finds the set that it belongs to.
        let kept = try await kept(besideStore: folder.file("agent.db"))
        #expect(old.map { kept($0.identity)?.identity } == old.map(\.identity))
        #expect(kept(GeofenceSet([try circle("a", radius: 50), try circle("b")]).identity) == nil)
    }

    @Test("A damaged file is reported and not used")
    func damage() throws {
        let folder = try TemporaryFolder()
        let archive = GeofenceArchive(besideStore: folder.file("agent.db"))
        let layer = GeofenceLayer(level: .all, isSingle: true)
        let written = try archive.write(GeofenceSet([try circle("a")]), of: layer)
        #expect(try archive.set(of: written).count == 1)
        try folder.write("GFEFIL01 and so on", to: "agent.db-geofences/\(written.file)")
        #expect(throws: FileFault.self) { try archive.set(of: written) }
        // The broker sends the same set again.
        #expect(try archive.write(GeofenceSet([try circle("a")]), of: layer) == written)
        #expect(try archive.set(of: written).count == 1)
        try folder.write("{}", to: "agent.db-geofences/manifest.json")
        #expect(throws: FileFault.self) { try archive.generations() }
    }

    @Test("A failed write names its reason and leaves no file")
    func noPlace() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.file("taken"), 0o700) == 0)
        let error = #expect(throws: FileFault.self) {
            try AtomicFile.write([[1, 2]], to: folder.file("taken"))
        }
        #expect(error?.description == "\(folder.file("taken")): cannot be written: Is a directory")
        #expect(FileReader.entryNames(in: folder.path) == ["taken"])
    }
}
