import Glibc
import OdographHarness
import OdographStore
import Testing

@testable import Odograph

@Suite("Private time that begins while the disk takes no file")
struct UnsavedPrivacyTests {
    private static let document =
        "{ tracking: { schedule: \"* 3 * * *\", time_zone: \"UTC\", off_schedule: { mode: \"private\" } } }"

    private func vehicle(_ port: UInt16, in folder: TemporaryFolder) throws -> ClockedAgent {
        try ClockedAgent(broker: port, source: "{ simulator: { parked: 86400 } }", in: folder)
    }

    private func isPrivate(_ vehicle: ClockedAgent) async -> Bool {
        await vehicle.agent.parts?.pipeline.settings.schedule.hasPrivateTime == true
    }

    /// Publishes the document, and waits until it is in force and everything that can be saved of it is saved.
    private func begin(_ vehicle: ClockedAgent, _ broker: MosquittoBroker) async throws {
        try await BrokerOperator(port: broker.port).publish(Self.document, to: "fleet/acme/van-7/config")
        let isInForce = try await eventually { () -> Bool? in
            vehicle.clock.advance(bySeconds: 1)
            return await isPrivate(vehicle) ? true : nil
        }
        #expect(isInForce != nil)
    }

    @Test(
        "A document on a full disk is private at the next start without a broker too, also if the disk is still full",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"), .timeLimit(.minutes(5)),
        arguments: [false, true])
    func fullDisk(isStillFull: Bool) async throws {
        let disk = try SmallFileSystem(bytes: 4 << 20)
        let broker = try await MosquittoBroker()
        let first = try vehicle(broker.port, in: disk.folder)
        try await first.agent.start()
        disk.fill()
        try await begin(first, broker)
        await first.agent.stop()
        if !isStillFull { disk.release() }
        let second = try vehicle(try FreePort.next(), in: disk.folder)
        try await second.agent.start()
        #expect(await isPrivate(second))
        await second.agent.stop()
    }

    @Test(
        "A document of which no list can be written is in the database, and a problem until the list is written",
        .timeLimit(.minutes(5)), arguments: [false, true])
    func noManifest(isSettled: Bool) async throws {
        let folder = try TemporaryFolder()
        let broker = try await MosquittoBroker()
        let first = try vehicle(broker.port, in: folder)
        try await first.agent.start()
        // Folders take the names of the list and of its replacement.
        let list = folder.file("agent.db-configuration")
        #expect(unlink(list) == 0 && mkdir(list, 0o700) == 0 && mkdir(list + ".new", 0o700) == 0)
        try await begin(first, broker)
        #expect(try await first.problem(.configurationNotSaved, advancing: 1) != nil)
        let saved = try await first.agent.parts?.store.document("configuration:device")
        #expect(saved == Array(Self.document.utf8))
        #expect(rmdir(list) == 0 && rmdir(list + ".new") == 0)
        if isSettled { #expect(try await first.isSettled(.configurationNotSaved, advancing: 1)) }
        await first.agent.stop()
        let second = try vehicle(try FreePort.next(), in: folder)
        try await second.agent.start()
        #expect(await isPrivate(second))
        #expect(await second.agent.currentProblems.allSatisfy { $0.code != .configurationUnreadable })
        await second.agent.stop()
    }

    @Test(
        "Private time of a program stays, is a problem until it is saved, and ends", .timeLimit(.minutes(5)),
        arguments: [false, true])
    func mark(hasFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let port = try FreePort.next()
        let mark = folder.file("agent.db-private")
        let tag = ProgramTag(name: "lunch", isPrivate: true)
        let first = try vehicle(port, in: folder)
        try await first.agent.start()
        #expect(mkdir(mark + ".new", 0o700) == 0)
        await #expect(throws: (any Error).self) {
            try await first.agent.parts?.remote.setTag(tag, isPersistent: false)
        }
        #expect(try await first.problem(.configurationNotSaved) != nil)
        await first.agent.stop()
        // An empty file says it too. Without any file the database does.
        #expect(access(mark, F_OK) == 0)
        if !hasFile { unlink(mark) }
        let second = try vehicle(port, in: folder)
        try await second.agent.start()
        #expect(await isPrivate(second))
        await #expect(throws: (any Error).self) {
            try await second.agent.parts?.remote.setTag(tag, isPersistent: false)
        }
        rmdir(mark + ".new")
        #expect(try await second.isSettled(.configurationNotSaved, advancing: 1))
        #expect(PrivateTimeMark(besideStore: folder.file("agent.db")).read() == tag)
        try await second.agent.parts?.remote.setTag(nil, isPersistent: false)
        await second.agent.stop()
        let third = try vehicle(port, in: folder)
        try await third.agent.start()
        #expect(await !isPrivate(third))
        await third.agent.stop()
    }
}
