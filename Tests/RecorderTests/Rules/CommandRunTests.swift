import Glibc
import OdographHTTP
import OdographHarness
import OdographThreads
import Testing

@testable import OdographRecorder

@Suite("The command of a rule")
struct CommandRunTests {
    @Test("When the recorder stops, it is killed with the programs that it has started, and the notification waits")
    func stop() async throws {
        let folder = try TemporaryFolder()
        let stopSign = StopSign()
        let worker = try NotificationWorker(limits: HTTPClient.Limits(), commandSeconds: 600, stopSign: stopSign)
        let notification = PendingNotification(key: 1, rule: "r", vehicle: 1, payload: "{}", attempts: 0)
        let command = [
            "/bin/sh", "-c",
            "sleep 1000 & echo $! > \(folder.file("tmp")); mv \(folder.file("tmp")) \(folder.file("child")); wait",
        ]
        async let delivery = worker.deliver(notification, to: .command(command))
        let child = try #require(
            try await eventually { (try? folder.read("child")).flatMap { pid_t($0.filter(\.isNumber)) } })
        stopSign.set()
        #expect(await delivery.result == .failed("/bin/sh was killed, because the recorder stops"))
        #expect(try await eventually { hasEnded(child) ? true : nil } == true)
    }

    /// Returns whether a process has ended. It can still be there, without a program, until its parent asks for its
    /// end.
    private func hasEnded(_ process: pid_t) -> Bool {
        guard kill(process, 0) == 0 else { return true }
        let state = try? FileContents.text("/proc/\(process)/stat")
        return state?.contains(") Z ") ?? true
    }

    @Test("It inherits no descriptor that another thread opens while it is started")
    func descriptors() async throws {
        let worker = try NotificationWorker(limits: HTTPClient.Limits(), commandSeconds: 30)
        let isDone = Lock(false)
        async let opener: Void = onThread {
            while !isDone.withLock({ $0 }) {
                let opened = (0..<200).map { _ in open("/dev/null", O_RDONLY) }
                for descriptor in opened { close(descriptor) }
            }
        }
        // Standard input, output and error, and the folder that the shell reads.
        let command = ["/bin/sh", "-c", "set -- /proc/self/fd/*; test $# -le 4"]
        let notification = PendingNotification(key: 1, rule: "r", vehicle: 1, payload: "{}", attempts: 0)
        for _ in 0..<50 { #expect(await worker.deliver(notification, to: .command(command)).result == .delivered) }
        isDone.withLock { $0 = true }
        try await opener
    }
}
