import OdographCivilTime
import Testing
import OdographWire

@testable import Odograph

@Suite("The agent's own status, as another client publishes it")
struct DeviceNameConflictDetectorTests {
    private func status(
        _ state: StatusMessage.State, run: String, connection: Int64 = 1, reason: StatusMessage.Reason? = nil
    )
        -> StatusMessage
    {
        StatusMessage(
            deviceID: "van-7", state: state,
            reason: reason ?? (state == .online ? .connected : .connectionLost), connection: connection, bootID: "b",
            runID: run, version: "0.1.0", timestamp: Timestamp(millisecondsSinceEpoch: 0))
    }

    @Test("A status of this run is ignored, except a will that the broker publishes late")
    func own() {
        var detector = DeviceNameConflictDetector(runID: "mine")
        #expect(detector.handle(status(.online, run: "mine")) == [])
        #expect(detector.handle(status(.offline, run: "mine", reason: .stopped)) == [])
        #expect(detector.handle(status(.offline, run: "mine")) == [.republishStatus])
    }

    @Test(
        "An offline status of the previous run is corrected",
        arguments: [StatusMessage.Reason.connectionLost, .stopped])
    func before(reason: StatusMessage.Reason) {
        var detector = DeviceNameConflictDetector(runID: "mine")
        #expect(detector.handle(status(.offline, run: "before", reason: reason)) == [.republishStatus])
        #expect(detector.handleDisconnected() == [])
    }

    @Test("Each connection of another agent raises the conflict once, and the end of the last one clears it")
    func others() {
        var detector = DeviceNameConflictDetector(runID: "mine")
        #expect(detector.handle(status(.online, run: "a", connection: 4)) == [.raiseConflict])
        #expect(detector.handle(status(.online, run: "a", connection: 4)) == [])
        #expect(detector.handle(status(.online, run: "a", connection: 5)) == [.raiseConflict])
        #expect(detector.handle(status(.online, run: "b")) == [.raiseConflict])
        #expect(detector.handle(status(.offline, run: "a", connection: 5)) == [.republishStatus])
        #expect(detector.handle(status(.offline, run: "b")) == [.republishStatus, .clearConflict])
        #expect(detector.handle(status(.offline, run: "b")) == [.republishStatus])
    }

    @Test("A lost connection clears the conflict, and the next connection can raise it again")
    func connections() {
        var detector = DeviceNameConflictDetector(runID: "mine")
        #expect(detector.handle(status(.online, run: "a")) == [.raiseConflict])
        #expect(detector.handleDisconnected() == [.clearConflict])
        #expect(detector.handleDisconnected() == [])
        #expect(detector.handle(status(.online, run: "a")) == [.raiseConflict])
    }

    @Test("The number of runs that are remembered is bounded")
    func flood() {
        var detector = DeviceNameConflictDetector(runID: "mine")
        let answered = (0..<1000).count { !detector.handle(status(.online, run: "\($0)")).isEmpty }
        #expect(answered == 16)
    }
}
