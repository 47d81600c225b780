import CivilTime
import Testing
import Wire

@testable import Odograph

@Suite("The agent's own status, as others publish it")
struct SharedNameDetectorTests {
    private func status(_ state: StatusMessage.State, run: String?, session: Int64 = 1, reason: String? = nil)
        -> StatusMessage
    {
        StatusMessage(
            state: state, reason: reason ?? (state == .online ? "connected" : "connection_lost"), session: session,
            bootID: "b", runID: run, version: "0.1.0", timestamp: Timestamp(millisecondsSinceEpoch: 0))
    }

    @Test("Is no news where it is this run's, but for a will that the broker publishes late")
    func own() {
        var detector = SharedNameDetector(runID: "mine")
        #expect(detector.heard(status(.online, run: "mine")) == [])
        #expect(detector.heard(status(.offline, run: "mine", reason: "stopped")) == [])
        #expect(detector.heard(status(.offline, run: "mine")) == [.correctStatus])
    }

    @Test("Is corrected where the run before is given up", arguments: ["connection_lost", "stopped"])
    func before(reason: String) {
        var detector = SharedNameDetector(runID: "mine")
        #expect(detector.heard(status(.offline, run: "before", reason: reason)) == [.correctStatus])
        #expect(detector.heard(status(.offline, run: nil, reason: reason)) == [.correctStatus])
        #expect(detector.disconnected() == [])
    }

    @Test("Shows another agent, each connection of which is answered once; the last one's end settles it")
    func others() {
        var detector = SharedNameDetector(runID: "mine")
        #expect(detector.heard(status(.online, run: "a", session: 4)) == [.reportSharedName])
        #expect(detector.heard(status(.online, run: "a", session: 4)) == [])
        #expect(detector.heard(status(.online, run: "a", session: 5)) == [.reportSharedName])
        #expect(detector.heard(status(.online, run: nil)) == [.reportSharedName])
        #expect(detector.heard(status(.offline, run: "a", session: 5)) == [.correctStatus])
        #expect(detector.heard(status(.offline, run: nil)) == [.correctStatus, .settleSharedName])
        #expect(detector.heard(status(.offline, run: nil)) == [.correctStatus])
    }

    @Test("Is forgotten with the connection, and answered anew in the next")
    func connections() {
        var detector = SharedNameDetector(runID: "mine")
        #expect(detector.heard(status(.online, run: "a")) == [.reportSharedName])
        #expect(detector.disconnected() == [.settleSharedName])
        #expect(detector.disconnected() == [])
        #expect(detector.heard(status(.online, run: "a")) == [.reportSharedName])
    }

    @Test("Of a flood of runs is remembered up to a bound")
    func flood() {
        var detector = SharedNameDetector(runID: "mine")
        let answered = (0..<1000).count { !detector.heard(status(.online, run: "\($0)")).isEmpty }
        #expect(answered == 16)
    }
}
