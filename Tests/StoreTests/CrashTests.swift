import OdographHarness
import OdographCivilTime
import Glibc
import OdographWire
import Testing

@testable import OdographStore

/// A child process that commits until it is killed, and its output until then.
struct CrashProbe: ~Copyable {
    private let process: pid_t
    private let output: Int32

    struct NotStarted: Error { var path: String, reason: String }

    /// The path of the helper program, which is in the folder of the test bundle.
    static let path: String = {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        // The test runner is either an own executable, or the toolchain's with the bundle as an argument.
        let candidates = [own] + CommandLine.arguments
        for candidate in candidates {
            guard let slash = candidate.lastIndex(of: "/") else { continue }
            let probe = String(candidate[...slash]) + "StoreCrashProbe"
            if access(probe, X_OK) == 0 { return probe }
        }
        return "StoreCrashProbe"
    }()

    init(_ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NotStarted(path: Self.path, reason: String(cString: strerror(errno))) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var words: [UnsafeMutablePointer<CChar>?] = ([Self.path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, Self.path, &actions, nil, &words, environ)
        posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
        guard status == 0 else {
            close(ends[0])
            throw NotStarted(path: Self.path, reason: String(cString: strerror(status)))
        }
        self.process = process
        output = ends[0]
    }

    deinit {
        Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
        close(output)
    }

    /// Waits for the first line and the delay, kills the process and returns the complete lines.
    consuming func kill(afterMilliseconds delay: Int) -> [Substring] {
        var text: [UInt8] = []
        readOnce(into: &text)
        usleep(UInt32(delay * 1000))
        Glibc.kill(process, SIGKILL)
        while readOnce(into: &text) {}
        var lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        lines.removeLast()
        return lines
    }

    /// Reads the available output; waits for it at most 20 s.
    @discardableResult
    private borrowing func readOnce(into text: inout [UInt8]) -> Bool {
        var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 20_000) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(output, &buffer, buffer.count)
        guard count > 0 else { return false }
        text += buffer[..<count]
        return true
    }
}

@Suite("Kills at any moment")
struct CrashTests {
    @Test(
        "Each confirmed record is present once, and the ledger explains each gap between the numbers",
        arguments: 0..<3)
    func killed(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: seed)
        var said: [Int64] = []
        for _ in 0..<6 {
            let probe = try CrashProbe([folder.database])
            let lines = probe.kill(afterMilliseconds: Int.random(in: 0...60, using: &random))
            #expect(!lines.isEmpty, "the helper committed nothing within 20 s")
            said += lines.compactMap { Int64($0.split(separator: " ")[1]) }

            let store = try await open(folder.database)
            #expect(store.report.damage == nil)
            let stored = try await store.all()
            #expect(store.report.inconsistency == nil)
            #expect(stored.allSatisfy(isIntact))
            #expect(stored.map(\.seq).starts(with: said))
            let ledger = await store.ledger()
            // After a kill between the two writes of a frame, the log cannot show whether more commits followed.
            #expect(ledger.allSatisfy { [.neverAssigned, .possiblyLost].contains($0.reason) }, "\(ledger)")
            let missing = Set(1...(stored.last?.seq ?? 1)).subtracting(stored.map(\.seq))
            #expect(missing.allSatisfy { seq in ledger.contains { ($0.fromSeq...$0.toSeq).contains(seq) } })
            #expect(try await store.statistics().givenUpCount == 0)
            // The last commit may have succeeded without being printed.
            #expect((0...1).contains(stored.count - said.count))
            let restored = try await store.contents()
            let commits = (restored.snapshot == nil ? 0 : 1) + restored.journals.count
            #expect(commits > 0 && restored.journals.allSatisfy { $0.count == 60 })
            said = stored.map(\.seq)
        }
    }

    @Test(
        "A lost log or a flipped bit in it never gives a number or a UUID two contents",
        arguments: ["full", "normal"], 0..<3)
    func killedAndSpoiled(synchronous: String, seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: seed)
        var witness = Witness()
        for round in 0..<8 {
            let probe = try CrashProbe([folder.database] + (synchronous == "full" ? [] : [synchronous]))
            let lines = probe.kill(afterMilliseconds: Int.random(in: 0...60, using: &random))
            #expect(!lines.isEmpty, "the helper committed nothing within 20 s")
            for line in lines { witness.see(line) }
            let spoiling = Spoiling.ofLog[round % Spoiling.ofLog.count]
            spoiling.spoil(folder.database, in: folder, using: &random)
            let options = StoreOptions(synchronous: synchronous == "full" ? .full : .normal)
            let store = try await open(folder.database, options, now: second(round))
            for record in try await store.all() { witness.see(record) }
            if spoiling == .logDeleted || spoiling == .logTruncated {
                #expect(store.report.inconsistency != nil || store.report.damage != nil, "\(spoiling)")
            }
            let ledger = await store.ledger()
            for record in try await store.commit(records(3), journal: [], snapshot: [1], now: start) {
                witness.see(record)
            }
            #expect(witness.unexplained(by: ledger).isEmpty, "\(spoiling) \(ledger)")
        }
        #expect(witness.contradictions.isEmpty)
    }
}
