import Glibc
import Harness
import OdographJSON
import Testing
import Threads
import Wire

@testable import Odograph

@Suite("The control socket")
struct ControlTests {
    private static let echo: ControlServer.Handler = { $0.success(["action": .string($0.action)]) }
    private static let address = "fleet/acme/van-7"

    private static func server(_ path: String, answer: @escaping ControlServer.Handler = echo) throws -> ControlServer {
        try ControlServer(path: path, address: address, answer: answer)
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Sends bytes and takes the answers.
    private static func send(_ bytes: [UInt8], to path: String, answers: Int) async throws -> [String] {
        let client = try ControlClient(path)
        return try await ControlClient.waiting {
            client.send(bytes)
            return client.receive(lines: answers)
        }
    }

    @Test("Only the agent's own user may open it, and it goes with the agent")
    func mode() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("control.sock")
        let server = try Self.server(path)
        #expect(Self.mode(path) == 0o600)
        #expect(ControlSocketClient(path: path).hasListener)
        server.stop()
        #expect(access(path, F_OK) != 0)
        let error = await #expect(throws: ControlError.self) {
            try await ControlSocketClient(path: path).response(to: CommandRequest(id: "1", action: "x"))
        }
        #expect(error?.kind == .noAgent)
    }

    @Test("A second agent is refused, and what a dead one left is taken over")
    func takeover() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("control.sock")
        let server = try Self.server(path)
        let error = #expect(throws: ControlError.self) { try Self.server(path) }
        #expect(error?.kind == .inUse)
        #expect(ControlSocketClient(path: path).hasListener, "the first one lost its socket")
        server.stop()
        try folder.write("left behind", to: "control.sock")
        let second = try Self.server(path)
        #expect(try await ControlSocketClient(path: path).response(to: CommandRequest(id: "1", action: "x")).isSuccess)
        second.stop()
    }

    @Test("Commands are answered in their order, however the lines arrive")
    func lines() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        let commands = (0..<20).map { "{\"id\":\"\($0)\",\"action\":\"a\($0)\"}\n" }.joined()
        let answers = try await Self.send(Array(commands.utf8), to: folder.file("s"), answers: 20)
        #expect(
            answers
                == (0..<20).map {
                    "{\"action\":\"a\($0)\",\"address\":\"\(Self.address)\",\"id\":\"\($0)\",\"status\":\"ok\"}"
                })
    }

    @Test(
        "What is no command is answered as such, and the conversation goes on",
        arguments: [
            "garbage", "{}", "[]", "{\"id\":1,\"action\":\"x\"}", "{\"id\":\"1\"}", "\u{0}\u{1}",
            "{\"id\":\"1\",\"action\":",
            String(repeating: "[", count: 10_000),
        ])
    func garbage(line: String) async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        let bytes = Array("\(line)\n{\"id\":\"2\",\"action\":\"x\"}\n".utf8)
        let answers = try await Self.send(bytes, to: folder.file("s"), answers: 2)
        #expect(answers.count == 2)
        #expect(answers.first?.contains("\"status\":\"error\"") == true)
        #expect(answers.first?.contains("write one JSON object a line") == true)
        #expect(answers.last == "{\"action\":\"x\",\"address\":\"\(Self.address)\",\"id\":\"2\",\"status\":\"ok\"}")
    }

    @Test("A line without an end is refused and cut off, and others are still answered")
    func endlessLine() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        let answers = try await Self.send(
            [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20), to: folder.file("s"), answers: 2)
        #expect(answers.count == 1)
        #expect(answers.first?.contains("at most 65536 bytes") == true)
        #expect(
            try await ControlSocketClient(path: folder.file("s")).response(to: CommandRequest(id: "1", action: "x"))
                .isSuccess)
    }

    @Test("Programs that only connect do not keep others out")
    func silentClients() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        for _ in 0..<100 { #expect(ControlSocketClient(path: folder.file("s")).hasListener) }
        #expect(
            try await ControlSocketClient(path: folder.file("s")).response(to: CommandRequest(id: "1", action: "x"))
                .isSuccess)
    }

    @Test("A program that does not read its answer keeps no other from theirs, and has it whole once it reads")
    func slowReader() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        // Far more than a socket holds.
        let long = String(repeating: "y", count: 8 << 20)
        let server = try Self.server(path) { $0.success($0.action == "long" ? ["text": .string(long)] : [:]) }
        defer { server.stop() }
        let slow = try ControlClient(path)
        slow.send(Array("{\"id\":\"slow\",\"action\":\"long\"}\n".utf8))
        // The answer has begun to come, and its end has no room.
        #expect(try await eventually { slow.hasInput ? true : nil } == true)
        for round in 0..<3 {
            let request = CommandRequest(id: "\(round)", action: "short")
            #expect(try await ControlSocketClient(path: path).response(to: request).isSuccess)
        }
        let answers = try await ControlClient.waiting { slow.receive(lines: 1) }
        #expect(answers.first?.utf8.count ?? 0 > long.utf8.count)
    }

    @Test("A program that has said all is still answered")
    func halfClosed() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        let client = try ControlClient(folder.file("s"))
        client.send(Array("{\"id\":\"1\",\"action\":\"x\"}\n{\"id\":\"2\",\"action\":\"x\"}\n".utf8))
        client.endSending()
        let answers = try await ControlClient.waiting { client.receive(lines: 3) }
        #expect(answers.count == 2)
    }

    @Test("A megabyte of newlines is read, and the command behind it answered")
    func newlines() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 20)
        let command = Array("{\"id\":\"1\",\"action\":\"x\"}\n".utf8)
        #expect(try await Self.send(bytes + command, to: folder.file("s"), answers: 1).count == 1)
    }

    @Test("Programs that say nothing, or never end a line, give way to those that do")
    func crowd() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let server = try Self.server(path)
        defer { server.stop() }
        var crowd: [ControlClient] = []
        for number in 0..<ControlEventLoop.maximumConnections + 8 {
            let client = try ControlClient(path)
            if number.isMultiple(of: 2) { client.send(Array("{\"id\":".utf8)) }
            crowd.append(client)
        }
        #expect(try await ControlSocketClient(path: path).response(to: CommandRequest(id: "1", action: "x")).isSuccess)
        withExtendedLifetime(crowd) {}
    }

    @Test(
        "A command that is meant for another agent is an error, and so is an answer of one that does not say its name")
    func otherAgent() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let server = try Self.server(path)
        defer { server.stop() }
        let request = CommandRequest(id: "1", action: "x")
        #expect(try await ControlSocketClient(path: path, address: Self.address).response(to: request).isSuccess)
        let error = await #expect(throws: ControlError.self) {
            try await ControlSocketClient(path: path, address: "fleet/acme/van-8").response(to: request)
        }
        #expect(error?.kind == .otherAgent)
        #expect(
            error?.description.contains("the agent fleet/acme/van-7 answers here, and not fleet/acme/van-8") == true)
    }

    @Test("Of two agents that start at the same time one has the socket, and keeps it when the other is gone")
    func race() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        for _ in 0..<20 {
            try folder.write("left behind", to: "s")
            let servers = await withTaskGroup(of: ControlServer?.self) { group in
                for _ in 0..<4 { group.addTask { try? Self.server(path) } }
                return await group.reduce(into: [ControlServer]()) { servers, server in
                    if let server { servers.append(server) }
                }
            }
            #expect(servers.count == 1)
            #expect(ControlSocketClient(path: path).hasListener)
            for server in servers { server.stop() }
            #expect(access(path, F_OK) != 0)
            #expect(access(path + ".lock", F_OK) != 0)
        }
    }

    @Test("An agent that stops leaves a socket alone that another program has put in the place of its own")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        unlink(folder.file("s"))
        try folder.write("another's", to: "s")
        server.stop()
        #expect(access(folder.file("s"), F_OK) == 0)
    }

    @Test("An agent that hangs or speaks garbage is told from one that is not there")
    func badAgent() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let listening = socket(AF_UNIX, UnixSocketAddress.streamType, 0)
        defer { close(listening) }
        #expect(try UnixSocketAddress(path).withSockaddr { bind(listening, $0, $1) } == 0)
        #expect(listen(listening, 4) == 0)
        let error = await #expect(throws: ControlError.self) {
            try await ControlSocketClient(path: path).response(
                to: CommandRequest(id: "1", action: "x"), timeoutSeconds: 1)
        }
        #expect(error?.kind == .noAnswer)
        // Its queue is full: it is there, and no second agent takes its place.
        var crowd: [ControlClient] = []
        while let client = try ControlClient.unlessFull(path) { crowd.append(client) }
        #expect(ControlSocketClient(path: path).hasListener)
        let second = #expect(throws: ControlError.self) { try Self.server(path) }
        #expect(second?.kind == .inUse)
        withExtendedLifetime(crowd) {}
    }

    @Test("A path that no socket can have is refused with its length")
    func longPath() {
        let error = #expect(throws: ControlError.self) {
            try Self.server("/tmp/" + String(repeating: "x", count: 200))
        }
        #expect(error?.kind == .unusable)
        #expect(error?.description.contains("107 bytes") == true)
    }
}
