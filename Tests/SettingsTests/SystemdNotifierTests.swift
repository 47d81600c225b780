import Glibc
import OdographHarness
import Testing

@testable import OdographSettings

@Suite("Notices to the service manager")
struct SystemdNotifierTests {
    private func manager(_ variables: [String: String]) -> SystemdNotifier? {
        SystemdNotifier { variables[$0] }
    }

    @Test("There is no notifier without an address or with an invalid address", arguments: ["", "notify", "vsock:2:1"])
    func nobody(path: String) {
        #expect(manager([:]) == nil)
        #expect(manager(["NOTIFY_SOCKET": path]) == nil)
        #expect(manager(["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)]) == nil)
    }

    @Test("The watchdog applies only to the process that it names, in microseconds")
    func watchdog() {
        let socket = ["NOTIFY_SOCKET": "/run/none"]
        for (more, seconds) in [
            ([:], nil), (["WATCHDOG_USEC": "3000000"], 3),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())"], 3),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid() + 1)"], nil), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "soon"], nil),
        ] as [([String: String], Double?)] {
            #expect(manager(socket.merging(more) { $1 })?.watchdogSeconds == seconds, "\(more)")
        }
    }

    @Test("Each notice is a line of the protocol, and a status has only one line")
    func notices() throws {
        let socket = try NotifySocket()
        let manager = try #require(self.manager(["NOTIFY_SOCKET": socket.path]))
        manager.notify(.ready, .status("two\nlines"))
        manager.notify(.watchdog)
        manager.notify(.stopping)
        manager.notify(.reloading)
        #expect(socket.messages.prefix(3) == ["READY=1 STATUS=two lines", "WATCHDOG=1", "STOPPING=1"])
        #expect(socket.messages.last?.hasPrefix("RELOADING=1 MONOTONIC_USEC=") == true)
        // A missing socket is ignored.
        unlink(socket.path)
        manager.notify(.ready)
    }
}
