import OdographStore
import OdographWire
import Testing

@testable import Odograph

@Suite("Records on which the broker ends the connection")
struct ConnectionEndsTests {
    private static func record(_ seq: Int64, _ kind: RecordKind = .timeline) -> ConnectionEnds.Subject {
        .record(RecordKey(epoch: 1, seq: seq), kind)
    }

    @Test("The third end in a row sets a record aside for a minute; each further one doubles the time, up to an hour")
    func pauses() {
        var ends = ConnectionEnds()
        var pauses: [Int64?] = []
        for time in 0..<12 as Range<Int64> {
            ends.handleAcknowledged(Self.record(4))
            let pause = ends.handleEnd(after: Self.record(5), sent: time, uptimeMilliseconds: time + 2000)
            pauses.append(pause?.milliseconds)
            #expect(pause == nil || pause == .record(pause?.milliseconds ?? 0))
        }
        #expect(pauses.map { $0.map { $0 / 60_000 } } == [nil, nil, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
        #expect(ends.asideKeys == [RecordKey(epoch: 1, seq: 5)])
        let due: Int64 = 2011 + 3_600_000
        #expect(ends.due(Self.record(5), uptimeMilliseconds: due) == nil)
        #expect(ends.due(Self.record(5), uptimeMilliseconds: due - 1) == due)
        ends.handleAcknowledged(Self.record(5))
        #expect(ends.asideKeys == [])
    }

    @Test("An end more than 2 s after the message says nothing about it, and one at a time shows which one it was")
    func late() {
        var ends = ConnectionEnds()
        for _ in 0..<9 {
            #expect(ends.handleEnd(after: Self.record(5), sent: 0, uptimeMilliseconds: 2001) == nil)
            #expect(ends.isCareful && !ends.hasProbableCause)
        }
        for seq in 0..<32 as Range<Int64> {
            #expect(ends.isCareful)
            ends.handleAcknowledged(Self.record(seq))
        }
        #expect(!ends.isCareful)
    }

    @Test("A record that has ended two connections lets the others go first on the next one")
    func deferral() {
        var ends = ConnectionEnds()
        _ = ends.handleEnd(after: Self.record(5), sent: 0, uptimeMilliseconds: 0)
        ends.handleConnected(uptimeMilliseconds: 100)
        #expect(ends.due(Self.record(5), uptimeMilliseconds: 100) == nil)
        _ = ends.handleEnd(after: Self.record(5), sent: 200, uptimeMilliseconds: 200)
        #expect(ends.hasProbableCause)
        ends.handleConnected(uptimeMilliseconds: 300)
        #expect(ends.due(Self.record(5), uptimeMilliseconds: 300) == 10_300)
        #expect(ends.due(Self.record(6), uptimeMilliseconds: 300) == nil)
    }

    @Test("Four ends after records of one kind hold the kind; the next trial is a record that has ended nothing")
    func kind() {
        var ends = ConnectionEnds()
        for seq in [1, 2, 1] as [Int64] {
            #expect(ends.handleEnd(after: Self.record(seq), sent: 0, uptimeMilliseconds: 0) == nil)
        }
        #expect(ends.handleEnd(after: Self.record(2), sent: 0, uptimeMilliseconds: 0) == .kind(60_000))
        #expect(ends.due(Self.record(9), uptimeMilliseconds: 0) == 60_000)
        #expect(ends.due(Self.record(1), uptimeMilliseconds: 0) == 70_000)
        #expect(ends.due(Self.record(9, .location), uptimeMilliseconds: 0) == nil)
        var trial = ends
        // The trial fails: the topic is the cause.
        #expect(trial.handleEnd(after: Self.record(9), sent: 60_000, uptimeMilliseconds: 60_000) == .kind(120_000))
        // The trial succeeds: the records are the cause.
        ends.handleAcknowledged(Self.record(9))
        #expect(ends.due(Self.record(10), uptimeMilliseconds: 60_000) == nil)
        #expect(ends.handleEnd(after: Self.record(1), sent: 70_000, uptimeMilliseconds: 70_000) == .record(60_000))
        #expect(ends.isHolding)
    }

    @Test("At most 100 records are aside, and a record that is gone is forgotten")
    func bound() {
        var ends = ConnectionEnds()
        for seq in 1...150 as ClosedRange<Int64> {
            for _ in 0..<3 { _ = ends.handleEnd(after: Self.record(seq), sent: 0, uptimeMilliseconds: 0) }
            ends.handleAcknowledged(Self.record(999))
        }
        #expect(ends.asideKeys.map(\.seq) == Array(1...100))
        ends.retain { $0.seq > 40 }
        #expect(ends.asideKeys.count == 60)
    }
}
