import FoundationEssentials
import Glibc
import OdographHarness
import Odograph
import OdographJSON
import OdographOperator
import Testing
import OdographWire

@Suite("An agent whose database disappears and returns")
struct StoreRecoveryTests {
    /// An agent, its broker and its files.
    private struct Vehicle {
        let broker: MosquittoBroker
        let subscriber: Subscriber
        let folder: TemporaryFolder
        let database: String
        let configuration: String

        init(database: String? = nil) async throws {
            broker = try await MosquittoBroker.durable()
            subscriber = try await Subscriber(port: broker.port)
            folder = try TemporaryFolder()
            mkdir(folder.file("db"), 0o750)
            self.database = database ?? folder.file("db/agent.db")
            configuration = """
                { fleet: "acme", device: "van-7",
                  broker: { url: "mqtt://127.0.0.1:\(broker.port)", reconnect: { minimum: 0.1, maximum: 1 } },
                  source: { simulator: { parked: 0 } }, store: { path: "\(self.database)" },
                  control: { path: "control.sock" }, tracking: \(AgentProcess.everyFix) }
                """
        }

        func start() throws -> AgentProcess { try AgentProcess(folder: folder, configuration: configuration) }

        private func answer(_ action: CommandRequest.Action) -> CommandResponse? {
            let connection = ControlSocketClient(path: folder.file("control.sock"))
            return try? connection.perform(CommandRequest(id: "1", action: action))
        }

        func status() throws -> AgentStatus? {
            try answer(.getStatus).map {
                try JSONDecoder().decode(AgentStatus.self, from: JSONEncoder().encode(JSONValue.object($0.members)))
            }
        }

        /// Returns the text of a problem; nil if there is none or no agent.
        func problem(_ code: Problem.Code) throws -> String? {
            try status()?.problems.first { $0.code == code }?.text
        }

        /// Waits until the vehicle has driven a distance, and returns its odometer.
        func hasDriven(_ meters: Double) async throws -> Double? {
            try await eventually {
                try status().flatMap { $0.odometer > meters && $0.store.seq > 0 ? $0.odometer : nil }
            }
        }

        /// Returns the received numbers by epoch. Expects that no number has two contents.
        func arrived() throws -> [Int64: Set<Int64>] {
            var seqs: [Int64: Set<Int64>] = [:]
            var uuids: [String: JSONValue] = [:]
            var doubled: Set<Int64> = []
            for record in try subscriber.records() {
                guard case .integer(let epoch)? = record.members["epoch"], let seq = record.seq else { continue }
                seqs[epoch, default: []].insert(seq)
                let known = uuids.updateValue(.object(record.members), forKey: "\(epoch) \(seq)")
                if let known, known != .object(record.members) { doubled.insert(seq) }
            }
            #expect(doubled == [], "numbers with two contents")
            return seqs
        }

        /// Waits until the broker has all records of an epoch up to a number.
        func hasArrived(_ epoch: Int64, through seq: Int64) async throws -> Bool {
            try await eventually {
                try arrived()[epoch]?.isSuperset(of: 1...seq) == true ? true : nil
            } ?? false
        }
    }

    @Test(
        "An agent that starts on a full disk saves all its data when space is available",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
    func fullDisk() async throws {
        let disk = try SmallFileSystem(bytes: 8 << 20)
        disk.fill()
        let vehicle = try await Vehicle(database: disk.folder.file("agent.db"))
        var agent = try vehicle.start()
        let told = try await eventually { try vehicle.problem(.storeUnusable) }
        #expect(told?.contains("in memory") == true, "\(agent.child.errors)")
        #expect(told?.contains("next start") == false, "\(told ?? "")")
        _ = try await vehicle.hasDriven(5)
        try await vehicle.broker.stop(SIGTERM)
        let driven = try #require(try await vehicle.hasDriven(30))
        disk.release()
        let isWell = try await eventually {
            try vehicle.status().flatMap { $0.problems.contains { $0.code == .storeUnusable } ? nil : $0 }
        }
        let before = try #require(isWell, "\(agent.child.errors)")
        try await agent.kill()
        agent = try vehicle.start()
        let after = try #require(try await eventually { try vehicle.status() })
        #expect(after.odometer >= driven)
        #expect(after.store.epoch == before.store.epoch && after.store.seq >= before.store.seq)
        #expect(after.problems.allSatisfy { $0.code == .brokerUnreachable }, "\(after.problems)")
        try await vehicle.broker.start()
        #expect(try await vehicle.hasArrived(before.store.epoch, through: before.store.seq), "\(agent.child.errors)")
        #expect(try vehicle.arrived().count == 1)
        _ = try await agent.stop()
    }

    @Test("The data of a run in memory is added to the database when it is usable again")
    func merged() async throws {
        let vehicle = try await Vehicle()
        var agent = try vehicle.start()
        _ = try await vehicle.hasDriven(5)
        try await vehicle.broker.stop(SIGTERM)
        _ = try await vehicle.hasDriven(100)
        let first = try #require(try vehicle.status())
        #expect(try await agent.stop() == .exited(0))
        // The folder of the database is missing, as if a disk was not mounted in time.
        rename(vehicle.folder.file("db"), vehicle.folder.file("away"))
        try vehicle.folder.write("", to: "db")
        agent = try vehicle.start()
        let told = try await eventually { try vehicle.problem(.storeUnusable) }
        #expect(told != nil, "\(agent.child.errors)")
        _ = try await vehicle.hasDriven(40)
        let second = try #require(try vehicle.status())
        unlink(vehicle.folder.file("db"))
        rename(vehicle.folder.file("away"), vehicle.folder.file("db"))
        let third = try #require(
            try await eventually {
                try vehicle.status().flatMap { $0.problems.contains { $0.code == .storeUnusable } ? nil : $0 }
            }, "\(agent.child.errors)")
        #expect(third.odometer >= first.odometer + second.odometer)
        try await agent.kill()
        agent = try vehicle.start()
        let last = try #require(try await eventually { try vehicle.status() })
        #expect(last.odometer >= first.odometer + second.odometer, "\(agent.child.errors)")
        #expect(last.odometerError >= first.odometerError)
        try await vehicle.broker.start()
        #expect(try await vehicle.hasArrived(first.store.epoch, through: first.store.seq), "\(agent.child.errors)")
        #expect(try await vehicle.hasArrived(third.store.epoch, through: third.store.seq), "\(agent.child.errors)")
        _ = try await agent.stop()
    }

    @Test(
        "A database with a wrong owner is used once its owner is right, with the records of the meantime",
        .enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "giving a file away needs root"))
    func wrongOwner() async throws {
        let vehicle = try await Vehicle()
        var agent = try vehicle.start()
        let driven = try #require(try await vehicle.hasDriven(30))
        #expect(try await agent.stop() == .exited(0))
        #expect(chmod(vehicle.database, 0o600) == 0 && chown(vehicle.database, 65_534, 65_534) == 0)
        // Root without the capabilities to read files of other users.
        let child = try ChildProcess(
            "setpriv",
            ["--bounding-set=-dac_override,-dac_read_search", AgentProcess.executable, "run", "--config"]
                + [vehicle.folder.file("agent.json5")])
        let told = try await eventually { try vehicle.problem(.storeUnusable) }
        #expect(told?.contains("cannot read and write") == true, "\(child.errors)")
        _ = try await vehicle.hasDriven(20)
        #expect(chown(vehicle.database, 0, 0) == 0)
        let isSettled = try await eventually { try vehicle.problem(.storeUnusable) == nil ? true : nil }
        #expect(isSettled != nil, "\(child.errors)")
        #expect(try #require(try vehicle.status()).odometer > driven + 20, "\(child.errors)")
        child.send(SIGTERM)
        #expect(try await child.wait() == .exited(0))
        agent = try vehicle.start()
        #expect(try await vehicle.hasDriven(driven + 20) != nil)
        #expect(try await agent.stop() == .exited(0))
    }

    @Test(
        "The agent waits for a disk with temporary errors at the start",
        .enabled(if: access("/usr/bin/strace", X_OK) == 0))
    func transientError() async throws {
        let vehicle = try await Vehicle()
        var agent = try vehicle.start()
        let driven = try #require(try await vehicle.hasDriven(30))
        #expect(try await agent.stop() == .exited(0))
        let left = try await ChildProcess.run("ls", [vehicle.folder.file("db")]).output
        // The first 12 reads fail, which covers about a quarter of a second.
        let child = try ChildProcess(
            "strace",
            [
                "-D", "-f", "-qq", "-o", "/dev/null", "-P", vehicle.database, "-e", "trace=pread64", "-e",
                "inject=pread64:error=EIO:when=1..12", AgentProcess.executable, "run", "--config",
                vehicle.folder.file("agent.json5"),
            ])
        let status = try #require(try await eventually { try vehicle.status() }, "\(child.errors)")
        #expect(status.problems.allSatisfy { $0.code == .brokerUnreachable }, "\(child.errors)")
        #expect(status.odometer >= driven, "\(child.errors)")
        child.send(SIGTERM)
        try await child.wait()
        #expect(try await ChildProcess.run("ls", [vehicle.folder.file("db")]).output == left)
        agent = try vehicle.start()
        #expect(try #require(try await eventually { try vehicle.status() }).odometer >= driven)
    }

    @Test(
        "A database that is deleted or replaced while the agent runs is written again and reported",
        arguments: ["deleted", "replaced", "log deleted", "folder deleted"])
    func lostFile(what: String) async throws {
        let vehicle = try await Vehicle()
        var agent = try vehicle.start()
        _ = try await vehicle.hasDriven(10)
        try await vehicle.broker.stop(SIGTERM)
        let driven = try #require(try await vehicle.hasDriven(30))
        switch what {
        case "deleted": for name in ["", "-wal"] { unlink(vehicle.database + name) }
        case "log deleted": unlink(vehicle.database + "-wal")
        case "folder deleted":
            for name in ["", "-wal"] { unlink(vehicle.database + name) }
            rmdir(vehicle.folder.file("db"))
        default:
            let other = try vehicle.folder.write([UInt8](repeating: 0x41, count: 5000), to: "other")
            rename(other, vehicle.database)
        }
        let told = try await eventually { try vehicle.problem(.storeFileLost) }
        #expect(told?.contains(vehicle.database) == true, "\(agent.child.errors)")
        let status = try #require(try vehicle.status())
        #expect(access(vehicle.database, F_OK) == 0)
        if what == "replaced" {
            let names = try await ChildProcess.run("ls", [vehicle.folder.file("db")]).output.split(separator: "\n")
            let aside = try #require(names.first { $0.contains(".aside-") }.map { vehicle.folder.file("db/\($0)") })
            #expect(try FileContents.bytes(aside) == [UInt8](repeating: 0x41, count: 5000))
            #expect(told?.contains(aside) == true)
        }
        try await agent.kill()
        agent = try vehicle.start()
        let after = try #require(try await eventually { try vehicle.status() }, "\(agent.child.errors)")
        #expect(after.odometer >= driven && after.store.epoch == status.store.epoch)
        #expect(after.store.seq >= status.store.seq)
        try await vehicle.broker.start()
        #expect(try await vehicle.hasArrived(status.store.epoch, through: status.store.seq), "\(agent.child.errors)")
        #expect(try vehicle.arrived().count == 1)
        #expect(try await agent.stop() == .exited(0))
    }

    @Test("A clean stop leaves a complete database, even if it was deleted just before")
    func deletedBeforeStop() async throws {
        let vehicle = try await Vehicle()
        var agent = try vehicle.start()
        let driven = try #require(try await vehicle.hasDriven(30))
        agent.child.send(SIGSTOP)
        for name in ["", "-wal"] { unlink(vehicle.database + name) }
        agent.child.send(SIGTERM)
        agent.child.send(SIGCONT)
        #expect(try await agent.child.wait() == .exited(0))
        agent = try vehicle.start()
        #expect(try #require(try await eventually { try vehicle.status() }).odometer >= driven)
    }

    @Test("A control socket that is deleted while the agent runs is created again")
    func lostSocket() async throws {
        let vehicle = try await Vehicle()
        let agent = try vehicle.start()
        _ = try await vehicle.hasDriven(5)
        unlink(vehicle.folder.file("control.sock"))
        let status = try await eventually { try vehicle.status() }
        #expect(status != nil, "\(agent.child.errors)")
        #expect(try await agent.stop() == .exited(0))
        #expect(access(vehicle.folder.file("control.sock"), F_OK) != 0)
    }
}
