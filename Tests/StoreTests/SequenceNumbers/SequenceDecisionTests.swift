import OdographWire
import Testing

@testable import OdographStore

@Suite("The decision about the next sequence numbers of a database")
struct SequenceDecisionTests {
    private static let own = EpochIdentity(epoch: 7 << 32, seed: .init(high: 1, low: 2))
    private static let other = EpochIdentity(epoch: 8 << 32, seed: .init(high: 3, low: 4))

    private static func database(
        _ newest: Int64, _ identities: EpochIdentity = own, logBytes: Int64 = 1000,
        logEnd: WriteAheadLog.End? = .whole, bootID: UInt64? = 2
    ) -> SequenceDecision.DatabaseState {
        .init(
            epochIdentity: identities, newestSeq: newest, log: .init(bytes: logBytes, end: logEnd), bootID: bootID)
    }

    private static func record(
        _ committed: Int64, _ reserved: Int64, latest: Int64 = own.epoch, isDurable: Bool = true,
        logBytes: Int64 = 1000, bootID: UInt64? = 1
    ) -> SequenceReservationFile.Content {
        .reservation(
            SequenceReservation(
                epochIdentity: own, committedThrough: committed, reservedThrough: reserved, latestEpoch: latest,
                logBytes: logBytes, isDurable: isDurable, bootID: bootID))
    }

    private static func gap(_ range: ClosedRange<Int64>, _ reason: LedgerEntry.Reason) -> SequenceDecision.Gap {
        .init(range: range, reason: reason)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var database: SequenceDecision.DatabaseState?
        var content: SequenceReservationFile.Content
        var expected: SequenceDecision

        init(
            _ name: String, _ database: SequenceDecision.DatabaseState?, _ content: SequenceReservationFile.Content,
            _ expected: SequenceDecision
        ) {
            (testDescription, self.database, self.content, self.expected) = (name, database, content, expected)
        }
    }

    private static let cases = [
        Case("nothing is there", nil, .absent, .newDatabase(nil, nil)),
        Case("the first writing of the record was interrupted", nil, .unreadable, .newDatabase(nil, nil)),
        Case("the record was written and the database not yet", nil, record(0, 0), .newDatabase(own, nil)),
        Case(
            "the same, and a run without a database came between", nil, record(0, 0, latest: other.epoch),
            .newDatabase(nil, nil)),
        Case(
            "the database was deleted", nil, record(9, 9),
            .newDatabase(nil, .databaseMissing(epoch: own.epoch, reservedThrough: 9))),
        Case("it was closed", database(9), record(9, 9), .resumeEpoch(nil, nil)),
        Case("it was never used", database(0), record(0, 0), .resumeEpoch(nil, nil)),
        Case("it was killed", database(9), record(5, 20), .resumeEpoch(gap(10...20, .neverAssigned), nil)),
        Case(
            "it was killed, with synchronous normal", database(9), record(0, 20, isDurable: false),
            .resumeEpoch(gap(10...20, .possiblyLost), nil)),
        Case(
            "it was killed, with synchronous normal, in this run of the system", database(9, bootID: 1),
            record(0, 20, isDurable: false), .resumeEpoch(gap(10...20, .neverAssigned), nil)),
        Case(
            "the system does not identify its runs", database(9, bootID: nil),
            record(0, 20, isDurable: false, bootID: nil), .resumeEpoch(gap(10...20, .possiblyLost), nil)),
        Case("it was killed with all of its numbers used", database(20), record(5, 20), .resumeEpoch(nil, nil)),
        Case(
            "it was killed, and has fewer records than before", database(4), record(5, 20),
            .resumeEpoch(gap(5...20, .possiblyLost), .reverted(newest: 4, committedThrough: 5))),
        Case(
            "it was closed, and has fewer records than then", database(4), record(9, 9),
            .resumeEpoch(gap(5...9, .possiblyLost), .reverted(newest: 4, committedThrough: 9))),
        Case(
            "it was killed, and the log is shorter than before", database(9, logBytes: 999), record(5, 20),
            .resumeEpoch(gap(10...20, .possiblyLost), .logLost)),
        Case(
            "it was killed, and the log has no header any more", database(9, logEnd: nil), record(5, 20),
            .resumeEpoch(gap(10...20, .possiblyLost), .logLost)),
        Case(
            "it was killed before anything was written to the log", database(9, logEnd: nil),
            record(5, 20, logBytes: 0), .resumeEpoch(gap(10...20, .neverAssigned), nil)),
        Case(
            "it was killed during a commit", database(9, logEnd: .unfinished, bootID: 1), record(5, 20),
            .resumeEpoch(gap(10...20, .neverAssigned), nil)),
        Case(
            "it was killed within the last frame, or that is damaged", database(9, logEnd: .torn, bootID: 1),
            record(5, 20), .resumeEpoch(gap(10...20, .possiblyLost), nil)),
        Case(
            "the power was cut within a frame", database(9, logEnd: .torn), record(5, 20),
            .resumeEpoch(gap(10...20, .neverAssigned), nil)),
        Case(
            "the power was cut during a commit", database(9, logEnd: .broken(isFollowed: false)), record(5, 20),
            .resumeEpoch(gap(10...20, .neverAssigned), nil)),
        Case(
            "the power was cut, with synchronous normal", database(9, logEnd: .broken(isFollowed: true)),
            record(5, 20, isDurable: false), .resumeEpoch(gap(10...20, .possiblyLost), nil)),
        Case(
            "commits were made behind a broken one", database(9, logEnd: .broken(isFollowed: true)), record(5, 20),
            .resumeEpoch(gap(10...20, .possiblyLost), .logDamaged)),
        Case(
            "it was killed, and what its process wrote is broken",
            database(9, logEnd: .broken(isFollowed: false), bootID: 1), record(5, 20),
            .resumeEpoch(gap(10...20, .possiblyLost), .logDamaged)),
        Case(
            "it was closed, and the log is broken", database(9, logEnd: .broken(isFollowed: true), bootID: 1),
            record(9, 9), .resumeEpoch(nil, nil)),
        Case("it was closed, and the log is gone", database(9, logBytes: 0), record(9, 9), .resumeEpoch(nil, nil)),
        Case(
            "it has a number that was not reserved", database(21), record(5, 20),
            .newEpoch(nil, .reservationOutdated(newest: 21, reservedThrough: 20))),
        Case(
            "it is another database", database(9, other), record(5, 20),
            .newEpoch(nil, .otherDatabase(epoch: own.epoch, reservedThrough: 20))),
        Case("the beginning of an epoch was interrupted", database(9, other), record(0, 0), .newEpoch(nil, nil)),
        Case(
            "it was killed, and a run without it had a later epoch", database(9), record(5, 20, latest: other.epoch),
            .newEpoch(gap(10...20, .neverAssigned), nil)),
        Case(
            "it was closed, and a run without it had a later epoch", database(9), record(9, 9, latest: other.epoch),
            .newEpoch(nil, nil)),
        Case(
            "it has fewer records than before, and a run without it had a later epoch", database(4),
            record(5, 20, latest: other.epoch),
            .newEpoch(gap(5...20, .possiblyLost), .reverted(newest: 4, committedThrough: 5))),
        Case("the record was deleted", database(9), .absent, .newEpoch(nil, .reservationMissing)),
        Case("the record is damaged", database(9), .unreadable, .newEpoch(nil, .reservationUnreadable)),
    ]

    @Test("Each state of the database and of its reservation file has its decision", arguments: cases)
    func decided(_ one: Case) {
        #expect(SequenceDecision(of: one.database, with: one.content) == one.expected)
    }
}
