import OdographLink
import Testing

@testable import Odograph

@Suite("The trial of a new certificate")
struct CertificateTrialTests {
    private let silence = LinkFailure.timedOut(host: "h", port: 8883, seconds: 20)
    private let refusal = LinkFailure.certificateRefused(detail: "certificate revoked")

    @Test("A connection with the new certificate accepts it, one with the old certificate decides nothing")
    func accepted() {
        var trial = CertificateTrial()
        let first = trial.begin(hasCandidate: true)
        let verdict = trial.handleConnected()
        #expect(first && verdict == .accepted)
        let second = trial.begin(hasCandidate: false)
        let open = trial.handleConnected()
        #expect(!second && open == .open)
    }

    @Test("After a failure of the network the old certificate has the next turn, and then the new one again")
    func turns() {
        var trial = CertificateTrial()
        var turns: [Bool] = []
        for _ in 1...10 {
            turns.append(trial.begin(hasCandidate: true))
            let verdict = trial.handleFailure(silence)
            #expect(verdict == .open)
        }
        #expect(turns == (1...10).map { $0 % 2 == 1 })
    }

    @Test("A refusal ends the trial at once, and a connection that ends without a reason at the third time")
    func refused() {
        var trial = CertificateTrial()
        _ = trial.begin(hasCandidate: true)
        let atOnce = trial.handleFailure(refusal)
        #expect(atOnce == .refused(refusal))
        for count in 1...3 {
            _ = trial.begin(hasCandidate: true)
            let verdict = trial.handleFailure(.closedBeforeConnack)
            #expect(verdict == (count == 3 ? .refused(.closedBeforeConnack) : .open))
        }
    }

    @Test("A failure with the old certificate says nothing about the new one")
    func standing() {
        var trial = CertificateTrial()
        _ = trial.begin(hasCandidate: false)
        let verdict = trial.handleFailure(refusal)
        #expect(verdict == .open)
    }
}
