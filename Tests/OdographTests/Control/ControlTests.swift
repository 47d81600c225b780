import Glibc
import OdographHarness
import OdographJSON
import Testing
import OdographThreads
import OdographWire

@testable import Odograph
@testable import OdographOperator

/// The number of signals that the test's handler has received.
private let interruptions = HeartbeatCounter()

@Suite("The control socket")
struct ControlTests {
    private static let echo: ControlServer.Handler = { $0.success(["action": .string($0.action.rawValue)]) }
    private static let address = "fleet/acme/van-7"

    private static func server(_ path: String, answer: @escaping ControlServer.Handler = echo) throws -> ControlServer {
        try ControlServer(path: path, address: address, answer: answer)
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Sends bytes and returns the answers.
    private static func send(_ bytes: [UInt8], to path: String, answers: Int) async throws -> [String] {
        let client = try ControlClient(path)
        return try await onThread {
            client.send(bytes)
            return client.receive(lines: answers)
        }
    }

    @Test("Only the agent's user may open the socket, and the agent removes it when it stops")
    func mode() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("control.sock")
        let server = try Self.server(path)
        #expect(Self.mode(path) == 0o600)
        #expect(try UnixSocketAddress(path).hasListener)
        server.stop()
        #expect(access(path, F_OK) != 0)
        let error = await #expect(throws: ControlError.self) {
            try await ControlSocketClient(path: path).response(to: CommandRequest(id: "1", action: .getStatus))
        }
        #expect(error?.kind == .noAgent)
    }

    @Test("A second agent is refused, and the socket of a dead agent is replaced")
    func takeover() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("control.sock")
        let server = try Self.server(path)
        let error = #expect(throws: ControlError.self) { try Self.server(path) }
        #expect(error?.kind == .inUse)
        #expect(try UnixSocketAddress(path).hasListener, "the first one lost its socket")
        server.stop()
        try folder.write("left behind", to: "control.sock")
        let second = try Self.server(path)
        #expect(
            try await ControlSocketClient(path: path).response(to: CommandRequest(id: "1", action: .getStatus))
                .isSuccess)
        second.stop()
    }

    @Test("Commands are answered in order, also when several arrive together")
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
        "An invalid command gets an error, and the connection continues",
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
        #expect(answers.first?.contains("write one JSON object per line") == true)
        #expect(answers.last == "{\"action\":\"x\",\"address\":\"\(Self.address)\",\"id\":\"2\",\"status\":\"ok\"}")
    }

    @Test("A line without an end is refused and disconnected, and other clients are still answered")
    func endlessLine() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        let answers = try await Self.send(
            [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20), to: folder.file("s"), answers: 2)
        #expect(answers.count == 1)
        #expect(answers.first?.contains("at most 65536 bytes") == true)
        #expect(
            try await ControlSocketClient(path: folder.file("s")).response(
                to: CommandRequest(id: "1", action: .getStatus)
            )
            .isSuccess)
    }

    @Test("Clients that only connect do not block others")
    func silentClients() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        for _ in 0..<100 { #expect(try UnixSocketAddress(folder.file("s")).hasListener) }
        #expect(
            try await ControlSocketClient(path: folder.file("s")).response(
                to: CommandRequest(id: "1", action: .getStatus)
            )
            .isSuccess)
    }

    @Test("A client that does not read its answer blocks no other client, and can read the whole answer later")
    func slowReader() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        // Far more than the buffers of a socket hold.
        let long = String(repeating: "y", count: 8 << 20)
        let server = try Self.server(path) {
            $0.success($0.action == .init(rawValue: "long") ? ["text": .string(long)] : [:])
        }
        defer { server.stop() }
        let slow = try ControlClient(path)
        slow.send(Array("{\"id\":\"slow\",\"action\":\"long\"}\n".utf8))
        // The answer has begun to arrive, and the socket cannot hold its end.
        #expect(try await eventually { slow.hasInput ? true : nil } == true)
        for round in 0..<3 {
            let request = CommandRequest(id: "\(round)", action: .flush)
            #expect(try await ControlSocketClient(path: path).response(to: request).isSuccess)
        }
        let answers = try await onThread { slow.receive(lines: 1) }
        #expect(answers.first?.utf8.count ?? 0 > long.utf8.count)
    }

    @Test("A client that has closed its sending side still gets its answers")
    func halfClosed() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        let client = try ControlClient(folder.file("s"))
        client.send(Array("{\"id\":\"1\",\"action\":\"x\"}\n{\"id\":\"2\",\"action\":\"x\"}\n".utf8))
        client.endSending()
        let answers = try await onThread { client.receive(lines: 3) }
        #expect(answers.count == 2)
    }

    @Test("A megabyte of newlines is skipped, and the command after it is answered")
    func newlines() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        defer { server.stop() }
        let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 20)
        let command = Array("{\"id\":\"1\",\"action\":\"x\"}\n".utf8)
        #expect(try await Self.send(bytes + command, to: folder.file("s"), answers: 1).count == 1)
    }

    @Test("Clients that send nothing or never end a line are dropped in favour of active clients")
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
        #expect(
            try await ControlSocketClient(path: path).response(to: CommandRequest(id: "1", action: .getStatus))
                .isSuccess)
        withExtendedLifetime(crowd) {}
    }

    @Test(
        "A command for another agent is an error, and so is an answer without an address")
    func otherAgent() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let server = try Self.server(path)
        defer { server.stop() }
        let request = CommandRequest(id: "1", action: .getStatus)
        #expect(try await ControlSocketClient(path: path, address: Self.address).response(to: request).isSuccess)
        let error = await #expect(throws: ControlError.self) {
            try await ControlSocketClient(path: path, address: "fleet/acme/van-8").response(to: request)
        }
        #expect(error?.kind == .otherAgent)
        #expect(
            error?.description.contains("the agent fleet/acme/van-7 responds on this socket, not fleet/acme/van-8")
                == true)
    }

    @Test("One of several agents that start at the same time gets the socket and keeps it")
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
            #expect(try UnixSocketAddress(path).hasListener)
            for server in servers { server.stop() }
            #expect(access(path, F_OK) != 0)
            #expect(access(path + ".lock", F_OK) != 0)
        }
    }

    @Test("An agent that stops leaves a socket that another program has put at its path")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let server = try Self.server(folder.file("s"))
        unlink(folder.file("s"))
        try folder.write("another's", to: "s")
        server.stop()
        #expect(access(folder.file("s"), F_OK) == 0)
    }

    @Test("An agent that hangs or sends garbage is distinguished from a missing agent")
    func badAgent() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let listening = socket(AF_UNIX, UnixSocketAddress.streamType, 0)
        defer { close(listening) }
        #expect(try UnixSocketAddress(path).withSockaddr { bind(listening, $0, $1) } == 0)
        #expect(listen(listening, 4) == 0)
        let error = await #expect(throws: ControlError.self) {
            try await ControlSocketClient(path: path).response(
                to: CommandRequest(id: "1", action: .getStatus), timeoutSeconds: 1)
        }
        #expect(error?.kind == .noAnswer)
        // The queue of the socket is full. The agent still counts as present, so no second agent replaces it.
        var crowd: [ControlClient] = []
        while let client = try ControlClient.unlessFull(path) { crowd.append(client) }
        #expect(try UnixSocketAddress(path).hasListener)
        let second = #expect(throws: ControlError.self) { try Self.server(path) }
        #expect(second?.kind == .inUse)
        withExtendedLifetime(crowd) {}
    }

    @Test("A path that is too long for a socket is refused with the maximum length")
    func longPath() {
        let error = #expect(throws: ControlError.self) {
            try Self.server("/tmp/" + String(repeating: "x", count: 200))
        }
        #expect(error?.kind == .unusable)
        #expect(error?.description.contains("107 bytes") == true)
    }

    @Test("A signal during a long request does not end it")
    func interruptedRequest() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("control.sock")
        let listener = socket(AF_UNIX, UnixSocketAddress.streamType, 0)
        defer { close(listener) }
        try #require(try UnixSocketAddress(path).withSockaddr { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 1) == 0)
        let before = interruptions.value
        signal(SIGUSR1) { _ in interruptions.increment() }
        let client = Lock<pthread_t?>(nil)
        // Far longer than the socket's buffers.
        let request = CommandRequest(
            id: "1", action: CommandRequest.Action(rawValue: "x"),
            parameters: ["text": .string(String(repeating: "x", count: 8 << 20))])
        async let response = onThread {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR1)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            client.withLock { $0 = pthread_self() }
            return try ControlSocketClient(path: path).perform(request).id
        }
        let received = try await onThread { () throws -> Int in
            let connection = accept(listener, nil, nil)
            defer { close(connection) }
            var ready = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            // The client is in `send`, which cannot end before this side reads.
            guard poll(&ready, 1, -1) == 1, let thread = client.withLock({ $0 }) else { return 0 }
            pthread_kill(thread, SIGUSR1)
            while interruptions.value == before { sched_yield() }
            var count = 0
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while chunk.first != UInt8(ascii: "\n") {
                let length = read(connection, &chunk, chunk.count)
                guard length > 0 else { break }
                count += length
                chunk[0] = chunk[length - 1]
            }
            let answer =
                try JSONCoder.bytes(
                    of: CommandRequest(id: "1", action: CommandRequest.Action(rawValue: "x")).success([:])) + [0x0A]
            _ = Glibc.send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            return count
        }
        #expect(received > 8 << 20)
        #expect(try await response == "1")
    }
}
