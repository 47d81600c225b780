import Glibc
import Harness
import Testing
import Threads
import Wire

@testable import Odograph

@Suite("The control socket")
struct ControlTests {
    private static let echo: ControlServer.Answer = { $0.success(["action": .string($0.action)]) }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Sends bytes and takes what comes back within a while.
    private static func send(_ bytes: [UInt8], to path: String, answers: Int) async throws -> [String] {
        let result = await withCheckedContinuation { continuation in
            // The answers come from the pool, whose threads must not be kept waiting for them.
            let isRunning = WorkerThread.start {
                continuation.resume(returning: Result { try sendWaiting(bytes, to: path, answers: answers) })
            }
            if !isRunning { continuation.resume(returning: .success([])) }
        }
        return try result.get()
    }

    private static func sendWaiting(_ bytes: [UInt8], to path: String, answers: Int) throws -> [String] {
        let descriptor = socket(AF_UNIX, ControlAddress.streamType, 0)
        defer { close(descriptor) }
        let isConnected = try ControlAddress(path).withSockaddr { connect(descriptor, $0, $1) } == 0
        #expect(isConnected)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while received.count(where: { $0 == UInt8(ascii: "\n") }) < answers {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            received += chunk[..<count]
        }
        return String(decoding: received, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("Only the agent's own user may open it, and it goes with the agent")
    func mode() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("control.sock")
        let server = try ControlServer(path: path, answer: Self.echo)
        #expect(Self.mode(path) == 0o600)
        #expect(ControlConnection(path: path).isServed)
        server.stop()
        #expect(access(path, F_OK) != 0)
        let error = await #expect(throws: ControlError.self) {
            try await ControlConnection(path: path).answer(to: CommandRequest(id: "1", action: "x"))
        }
        #expect(error?.kind == .noAgent)
    }

    @Test("A second agent is refused, and what a dead one left is taken over")
    func takeover() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("control.sock")
        let server = try ControlServer(path: path, answer: Self.echo)
        let error = #expect(throws: ControlError.self) { try ControlServer(path: path, answer: Self.echo) }
        #expect(error?.kind == .inUse)
        #expect(ControlConnection(path: path).isServed, "the first one lost its socket")
        server.stop()
        try folder.write("left behind", to: "control.sock")
        let second = try ControlServer(path: path, answer: Self.echo)
        #expect(try await ControlConnection(path: path).answer(to: CommandRequest(id: "1", action: "x")).isDone)
        second.stop()
    }

    @Test("Commands are answered in their order, however the lines arrive")
    func lines() async throws {
        let folder = try TemporaryFolder()
        let server = try ControlServer(path: folder.file("s"), answer: Self.echo)
        defer { server.stop() }
        let commands = (0..<20).map { "{\"id\":\"\($0)\",\"action\":\"a\($0)\"}\n" }.joined()
        let answers = try await Self.send(Array(commands.utf8), to: folder.file("s"), answers: 20)
        #expect(answers == (0..<20).map { "{\"action\":\"a\($0)\",\"id\":\"\($0)\",\"status\":\"ok\"}" })
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
        let server = try ControlServer(path: folder.file("s"), answer: Self.echo)
        defer { server.stop() }
        let bytes = Array("\(line)\n{\"id\":\"2\",\"action\":\"x\"}\n".utf8)
        let answers = try await Self.send(bytes, to: folder.file("s"), answers: 2)
        #expect(answers.count == 2)
        #expect(answers.first?.contains("\"status\":\"error\"") == true)
        #expect(answers.first?.contains("write one JSON object a line") == true)
        #expect(answers.last == "{\"action\":\"x\",\"id\":\"2\",\"status\":\"ok\"}")
    }

    @Test("A line without an end is cut off, and others are still answered")
    func endlessLine() async throws {
        let folder = try TemporaryFolder()
        let server = try ControlServer(path: folder.file("s"), answer: Self.echo)
        defer { server.stop() }
        let answers = try await Self.send(
            [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20), to: folder.file("s"), answers: 1)
        #expect(answers.isEmpty)
        #expect(
            try await ControlConnection(path: folder.file("s")).answer(to: CommandRequest(id: "1", action: "x")).isDone)
    }

    @Test("Programs that only connect do not keep others out")
    func silentClients() async throws {
        let folder = try TemporaryFolder()
        let server = try ControlServer(path: folder.file("s"), answer: Self.echo)
        defer { server.stop() }
        for _ in 0..<100 { #expect(ControlConnection(path: folder.file("s")).isServed) }
        #expect(
            try await ControlConnection(path: folder.file("s")).answer(to: CommandRequest(id: "1", action: "x")).isDone)
    }

    @Test("An agent that hangs or speaks garbage is told from one that is not there")
    func badAgent() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let listening = socket(AF_UNIX, ControlAddress.streamType, 0)
        defer { close(listening) }
        #expect(try ControlAddress(path).withSockaddr { bind(listening, $0, $1) } == 0)
        #expect(listen(listening, 4) == 0)
        let error = await #expect(throws: ControlError.self) {
            try await ControlConnection(path: path).answer(to: CommandRequest(id: "1", action: "x"), timeoutSeconds: 1)
        }
        #expect(error?.kind == .noAnswer)
    }

    @Test("A path that no socket can have is refused with its length")
    func longPath() {
        let error = #expect(throws: ControlError.self) {
            try ControlServer(path: "/tmp/" + String(repeating: "x", count: 200), answer: Self.echo)
        }
        #expect(error?.kind == .unusable)
        #expect(error?.description.contains("107 bytes") == true)
    }
}
