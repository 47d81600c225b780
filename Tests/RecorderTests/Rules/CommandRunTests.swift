import Glibc
import OdographHTTP
import Testing

@testable import OdographRecorder

@Suite("The command of a rule")
struct CommandRunTests {
    @Test("It inherits no descriptor that another thread opens while it is started")
    func descriptors() async throws {
        let worker = try NotificationWorker(limits: HTTPClient.Limits(), commandSeconds: 30)
        let opener = Task.detached {
            while !Task.isCancelled {
                let opened = (0..<200).map { _ in open("/dev/null", O_RDONLY) }
                for descriptor in opened { close(descriptor) }
            }
        }
        // Standard input, output and error, and the folder that the shell reads.
        let command = ["/bin/sh", "-c", "set -- /proc/self/fd/*; test $# -le 4"]
        let notification = PendingNotification(key: 1, rule: "r", payload: "{}", attempts: 0)
        for _ in 0..<50 { #expect(await worker.deliver(notification, to: .command(command)) == .delivered) }
        opener.cancel()
        _ = await opener.result
    }
}
